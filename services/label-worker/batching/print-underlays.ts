import type { LabelPayload } from '#shared/contracts/label-job.ts';
import { LABEL_KINDS } from '#shared/contracts/label-kinds.ts';
import { printBody, renderUnderlay } from '../label/render-label.ts';
import type { LabelTemplates } from '../label/templates.ts';
import { split } from '../pdf/split.ts';
import { type PdfUnderlay, readUnderlay } from '../pdf/underlay.ts';

/** The underlays that labels are laid on, by their kind. */
export type Underlays = Readonly<Partial<Record<LabelPayload['kind'], PdfUnderlay>>>;

/**
 * Prints the underlay of each kind of label, once for all labels.
 *
 * @param printHtml prints HTML as one PDF.
 * @param templates ours unless given.
 */
export async function printUnderlays(
  printHtml: (body: string) => Promise<Uint8Array>,
  templates?: LabelTemplates,
): Promise<Underlays> {
  const underlays: Partial<Record<LabelPayload['kind'], PdfUnderlay>> = {};
  for (const kind of LABEL_KINDS) {
    const underlay = renderUnderlay(kind, templates);
    if (!underlay) continue;
    const [file] = await split(await printHtml(printBody(kind, [underlay], templates)), [underlay]);
    if (file) underlays[kind] = await readUnderlay(file);
  }
  return underlays;
}
