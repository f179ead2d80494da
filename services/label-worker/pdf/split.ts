import { UnsupportedPdfError } from '#shared/pdf/read-pdf.ts';
import { readAnyPdf } from './any-pdf.ts';
import { readChromiumPdf } from './chromium-pdf.ts';
import type { LabelPages } from './content-streams.ts';

/**
 * Splits a print into one PDF for each label, in order. The PDFs have no dates: the same print gives the same files.
 *
 * @throws when the print has more or fewer pages than its labels together, because then no page's owner is known.
 */
export async function split(print: Uint8Array, labels: readonly LabelPages[]): Promise<Uint8Array[]> {
  const { pageCount, extract } = await read(print);
  const expected = labels.reduce((sum, { drawing }) => sum + drawing.pages.length, 0);
  if (pageCount !== expected) throw new Error(`The print has ${pageCount} pages, not ${expected}`);
  const files: Uint8Array[] = [];
  let first = 0;
  for (const label of labels) {
    const pages = label.drawing.pages.map((_, i) => first + i);
    files.push(await extract(pages, label));
    first += pages.length;
  }
  return files;
}

/** Falls back to the general library, should Chromium write otherwise one day. */
async function read(print: Uint8Array) {
  try {
    return readChromiumPdf(Buffer.from(print.buffer, print.byteOffset, print.byteLength));
  } catch (error) {
    if (error instanceof UnsupportedPdfError) return readAnyPdf(print);
    throw error;
  }
}
