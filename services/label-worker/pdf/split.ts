import { ParseSpeeds, PDFDocument, PrintScaling } from '@cantoo/pdf-lib';
import { readChromiumPdf, UnknownPdf } from './chromium-pdf.ts';
import { BEFORE, type Drawing, strokes } from './drawing.ts';

/** A label's part of a print: so many of its pages, in order, and what is drawn on them. */
export type Part = { pages: number; title: string; drawing: Drawing };

/** Makes a PDF of some pages of a print, without dates: the same print gives the same file. */
type MakeFile = (pages: number[], title: string, drawing: Drawing) => Uint8Array | Promise<Uint8Array>;
type Print = { pageCount: number; file: MakeFile };

/**
 * Cuts a print into one PDF for each part.
 *
 * @throws when the print has another number of pages than its parts together: then nobody knows whose they are.
 */
export async function split(print: Uint8Array, parts: readonly Part[]): Promise<Uint8Array[]> {
  const { pageCount, file } = await read(print);
  const expected = parts.reduce((sum, part) => sum + part.pages, 0);
  if (pageCount !== expected) throw new Error(`The print has ${pageCount} pages, not ${expected}`);
  const files: Uint8Array[] = [];
  let first = 0;
  for (const { pages, title, drawing } of parts) {
    const from = first;
    files.push(
      await file(
        Array.from({ length: pages }, (_, i) => from + i),
        title,
        drawing,
      ),
    );
    first += pages;
  }
  return files;
}

/** By our own splitter, or, should Chromium write otherwise one day, by a library that knows all of PDF. */
async function read(print: Uint8Array): Promise<Print> {
  try {
    return readChromiumPdf(Buffer.from(print.buffer, print.byteOffset, print.byteLength));
  } catch (error) {
    if (error instanceof UnknownPdf) return readAnyPdf(print);
    throw error;
  }
}

export async function readAnyPdf(print: Uint8Array): Promise<Print> {
  const source = await PDFDocument.load(print, { parseSpeed: ParseSpeeds.Fastest, updateMetadata: false });
  return {
    pageCount: source.getPageCount(),
    file: async (pages, title, drawing) => {
      const file = await PDFDocument.create({ updateMetadata: false });
      for (const page of await file.copyPages(source, pages)) file.addPage(page);
      const { common, own } = strokes(drawing, file.getPage(0).getHeight());
      const stream = (content: string) => file.context.register(file.context.stream(content));
      for (const [i, { node }] of file.getPages().entries()) {
        node.normalize();
        node.wrapContentStreams(stream(BEFORE), stream(common + own[i]));
      }
      file.setTitle(title);
      file.setLanguage('es-MX');
      // A viewer that shrinks the page to the printer's margins makes bars of broken dots.
      file.catalog.getOrCreateViewerPreferences().setPrintScaling(PrintScaling.None);
      return file.save({ useObjectStreams: false, objectsPerTick: Number.POSITIVE_INFINITY });
    },
  };
}
