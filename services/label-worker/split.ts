import { ParseSpeeds, PDFDocument, PrintScaling } from '@cantoo/pdf-lib';

/** A label's part of a print: so many of its pages, in order. */
export type Part = { pages: number; title: string };

/**
 * Cuts a print into one PDF for each part.
 *
 * @throws when the print has another number of pages than its parts together: then nobody knows whose they are.
 */
export async function split(print: Uint8Array, parts: readonly Part[]): Promise<Uint8Array[]> {
  const source = await PDFDocument.load(print, { parseSpeed: ParseSpeeds.Fastest, updateMetadata: false });
  const expected = parts.reduce((sum, part) => sum + part.pages, 0);
  if (source.getPageCount() !== expected) {
    throw new Error(`The print has ${source.getPageCount()} pages, not ${expected}`);
  }
  const files: Uint8Array[] = [];
  let first = 0;
  for (const part of parts) {
    files.push(await cut(source, first, part));
    first += part.pages;
  }
  return files;
}

async function cut(source: PDFDocument, first: number, { pages, title }: Part): Promise<Uint8Array> {
  // No dates (`updateMetadata`): the same label is the same file.
  const file = await PDFDocument.create({ updateMetadata: false });
  const indices = Array.from({ length: pages }, (_, i) => first + i);
  for (const page of await file.copyPages(source, indices)) file.addPage(page);
  file.setTitle(title);
  file.setLanguage('es-MX');
  // A viewer that shrinks the page to the printer's margins makes bars of broken dots.
  file.catalog.getOrCreateViewerPreferences().setPrintScaling(PrintScaling.None);
  return file.save({ useObjectStreams: false, objectsPerTick: Number.POSITIVE_INFINITY });
}
