import { catalog, information, PAGES, PDF_HEADER, type PdfChunk, pageTree } from '#shared/pdf/pdf-writer.ts';
import {
  neededBy,
  type ObjectsByNumber,
  objectAt,
  type PdfObject,
  readPdf,
  UnsupportedPdfError,
} from '#shared/pdf/read-pdf.ts';
import type { Drawing } from '../drawing.ts';
import { contentStreams, SAVE_STATE } from './content-streams.ts';
import { compressedStream, contentStream, pdfFile } from './pdf-file.ts';

/**
 * A splitter for the PDFs that Chromium prints, and for nothing else: it copies objects as bytes, because general
 * libraries, which parse and write each object, cost ten times as much (docs/decisions/0003-own-pdf-splitter.md).
 */

/** What Skia's files begin with, and no other program's. */
const SKIA_HEADER = Buffer.from(PDF_HEADER, 'latin1');

/** A print, read once: `extract` makes a PDF of some of its pages (from 0), with a label's drawing on them. */
export type ChromiumPdf = {
  pageCount: number;
  extract(wanted: readonly number[], title: string, drawing: Drawing): Buffer;
};

/** @throws UnsupportedPdfError */
export function readChromiumPdf(pdf: Buffer): ChromiumPdf {
  if (!pdf.subarray(0, SKIA_HEADER.length).equals(SKIA_HEADER))
    throw new UnsupportedPdfError('The PDF does not begin as those of Chromium do');
  const { objects, pages } = readPdf(pdf);
  return {
    pageCount: pages.length,
    extract(wanted, title, drawing) {
      const numbers = wanted.map((index) => pages[index] ?? 0);
      return fileOf(objects, numbers, title, drawing);
    },
  };
}

/** Numbers of a file's objects: from `OWN` on each page's own stream, and after those what is copied. */
const [SAVE, SHARED, OWN] = [4, 5, 6];

function fileOf(objects: ObjectsByNumber, pages: readonly number[], title: string, drawing: Drawing): Buffer {
  const streams = contentStreams(drawing, heightOf(objectAt(objects, pages[0] ?? 0)));
  const firstCopy = OWN + streams.pages.length;
  const numbers = new Map(reachable(objects, pages).map((old, i) => [old, firstCopy + i]));
  const copy = (old: number): PdfChunk[] => {
    const { pieces, refs, body } = objectAt(objects, old);
    const index = pages.indexOf(old);
    const text = pieces.map((piece, i) => {
      const ref = refs[i];
      if (ref === undefined) return piece;
      // A page's only reference that is not reachable is its parent.
      const copied = `${numbers.get(ref) ?? PAGES} 0 R`;
      const isContent = index >= 0 && piece.endsWith('/Contents ');
      return piece + (isContent ? `[${SAVE} 0 R ${copied} ${SHARED} 0 R ${OWN + index} 0 R]` : copied);
    });
    return [text.join(''), body];
  };
  return pdfFile([
    catalog(),
    pageTree(pages.map((page) => numbers.get(page) ?? 0)),
    information(title),
    contentStream(SAVE_STATE),
    compressedStream(streams.shared),
    ...streams.pages.map(contentStream),
    ...[...numbers.keys()].map(copy),
  ]);
}

/** Returns a page's height in points. Chromium's pages have a size and one content stream. */
function heightOf({ pieces }: PdfObject): number {
  const height = /\/MediaBox \[0 0 [\d.]+ ([\d.]+)\]/.exec(pieces.join(' '))?.[1];
  if (!height || pieces.filter((piece) => piece.endsWith('/Contents ')).length !== 1) {
    throw new UnsupportedPdfError('A page has no size, or not one content stream');
  }
  return Number(height);
}

/** Returns the numbers of the pages and of all that they need. */
function reachable(objects: ObjectsByNumber, pages: readonly number[]): number[] {
  const found = new Set(pages);
  for (const number of found) {
    for (const needed of neededBy(objectAt(objects, number))) found.add(needed);
  }
  return [...found];
}
