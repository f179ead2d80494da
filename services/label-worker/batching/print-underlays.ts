import { PRINT_KINDS, type PrintKind } from '#shared/printing/print-kinds.ts';
import { printBody, renderUnderlay } from '../label/render-label.ts';
import type { LabelTemplates } from '../label/templates.ts';
import type { PdfUnderlay } from '../pdf/content-streams.ts';
import { MissingTextError } from '../pdf/printed-letters.ts';
import { readUnderlay } from '../pdf/underlay.ts';

export type Underlays = Readonly<Partial<Record<PrintKind, PdfUnderlay>>>;

/**
 * Prints the underlay of each template, once for all labels.
 * @param templates ours by default.
 * @throws when Chromium writes PDFs of another structure than the splitter reads, or hides text.
 */
export async function printUnderlays(
  printHtml: (body: string) => Promise<Uint8Array>,
  templates?: LabelTemplates,
): Promise<Underlays> {
  const underlays: Partial<Record<PrintKind, PdfUnderlay>> = {};
  for (const kind of PRINT_KINDS) {
    const underlay = renderUnderlay(kind, templates);
    if (!underlay) continue;
    const print = await printHtml(printBody(kind, [underlay], templates));
    try {
      underlays[kind] = readUnderlay(print, underlay);
    } catch (cause) {
      if (cause instanceof MissingTextError) throw cause;
      throw new Error('This Chromium writes PDFs that cannot be split: labels need another version of it', {
        cause,
      });
    }
  }
  return underlays;
}
