import { LABEL_KINDS, type LabelPayload } from '#shared/contracts/label-job.ts';
import { renderForm } from '../label/render-label.ts';
import type { LabelTemplates } from '../label/templates.ts';
import { type PdfForm, readForm } from '../pdf/form.ts';
import { split } from '../pdf/split.ts';

/** The forms that labels are laid on, by their kind. */
export type Forms = Readonly<Partial<Record<LabelPayload['kind'], PdfForm>>>;

/**
 * Prints the form of each kind of label, once for all labels.
 *
 * @param printHtml prints HTML as one PDF.
 * @param templates ours unless given.
 */
export async function printForms(
  printHtml: (body: string) => Promise<Uint8Array>,
  templates?: LabelTemplates,
): Promise<Forms> {
  const forms: Partial<Record<LabelPayload['kind'], PdfForm>> = {};
  for (const kind of LABEL_KINDS) {
    const form = renderForm(kind, templates);
    if (!form) continue;
    const [file] = await split(await printHtml(form.html), [form]);
    if (file) forms[kind] = await readForm(file);
  }
  return forms;
}
