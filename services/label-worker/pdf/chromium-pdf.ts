import type { Drawing } from '../drawing.ts';
import { contentStreams, SAVE_STATE } from './content-streams.ts';
import { compressedStream, contentStream, type PdfChunk, pdfFile } from './pdf-file.ts';

/**
 * A splitter for the PDFs that Chromium prints, and for nothing else: it copies objects as bytes, because general
 * libraries, which parse and write each object, cost ten times as much (docs/decisions/0003-own-pdf-splitter.md).
 *
 * Chromium (Skia) writes plain objects and one cross-reference table. The splitter refuses whatever differs (object
 * streams, updates, encryption, strings in a page's objects, attributes that pages inherit) instead of guessing.
 */

/** The PDF is not as Chromium writes it. */
export class UnsupportedPdfError extends Error {
  override name = 'UnsupportedPdfError';
}

/** An object to be copied: `pieces[0] refs[0] pieces[1] refs[1] … pieces[n]`, then `body`, its stream's bytes. */
type PdfObject = { pieces: string[]; refs: number[]; body: Buffer };
type ObjectsByNumber = ReadonlyMap<number, PdfObject>;

/** A print, read once: `extract` makes a PDF of some of its pages (from 0), with a label's drawing on them. */
export type ChromiumPdf = {
  pageCount: number;
  extract(wanted: readonly number[], title: string, drawing: Drawing): Buffer;
};

/** @throws UnsupportedPdfError */
export function readChromiumPdf(pdf: Buffer): ChromiumPdf {
  const { offsets, end, root } = crossReferences(pdf);
  const offset = (number: number) => offsets[number] ?? end;
  // An object ends where the next one in the file begins.
  const inFile = [...offsets.keys()].slice(1).sort((one, other) => offset(one) - offset(other));
  const objects = new Map(
    inFile.map((number, i) => [
      number,
      readObject(pdf.subarray(offset(number), offset(inFile[i + 1] ?? -1)), number),
    ]),
  );
  const pages = pagesBelow(objects, objectAt(objects, root).refs[0] ?? 0);
  return {
    pageCount: pages.length,
    extract(wanted, title, drawing) {
      const numbers = wanted.map((index) => pages[index] ?? 0);
      return fileOf(objects, numbers, title, drawing);
    },
  };
}

/** Reads the table and trailer (ISO 32000-1, 7.5.4 and 7.5.5): objects' `offsets` by number, and the table's (`end`). */
function crossReferences(pdf: Buffer): { offsets: number[]; end: number; root: number } {
  const end = Number(
    /startxref\n(\d+)\n%%EOF\s*$/.exec(pdf.toString('latin1', Math.max(0, pdf.length - 64)))?.[1],
  );
  const table =
    /^xref\n0 \d+\n((?:\d{10} \d{5} [nf] \n)+)trailer\n<<\/Size \d+\n\/Root (\d+) 0 R\n\/Info \d+ 0 R>>/;
  const [, entries, root] = table.exec(pdf.toString('latin1', end)) ?? [];
  if (!entries || !root)
    throw new UnsupportedPdfError('The PDF does not end with one plain cross-reference table');
  const offsets = entries
    .trimEnd()
    .split('\n')
    .map((entry) => Number(entry.slice(0, 10)));
  return { offsets, end, root: Number(root) };
}

function readObject(bytes: Buffer, number: number): PdfObject {
  const stream = bytes.indexOf('stream\n');
  const head = bytes.toString('latin1', 0, stream < 0 ? bytes.length : stream);
  const start = `${number} 0 obj\n`;
  if (!head.startsWith(start))
    throw new UnsupportedPdfError(`Object ${number} is not where the cross-reference table says`);
  const parts = head.slice(start.length).split(/\b(\d+) 0 R\b/);
  return {
    pieces: parts.filter((_, i) => i % 2 === 0),
    refs: parts.filter((_, i) => i % 2 === 1).map(Number),
    body: stream < 0 ? Buffer.alloc(0) : bytes.subarray(stream),
  };
}

function objectAt(objects: ObjectsByNumber, number: number): PdfObject {
  const object = objects.get(number);
  if (!object) throw new UnsupportedPdfError(`The PDF has no object ${number}`);
  return object;
}

/** Returns the numbers of the pages below a node of the page tree, in order. Skia puts eight kids in a node. */
function pagesBelow(objects: ObjectsByNumber, node: number): number[] {
  const { pieces, refs } = objectAt(objects, node);
  const text = pieces.join('');
  if (/\/Type \/Page\b/.test(text)) return [node];
  if (!/^<<\/Type \/Pages\s/.test(text) || /\/(Resources|MediaBox|CropBox|Rotate)\b/.test(text)) {
    throw new UnsupportedPdfError(`Pages inherit attributes from object ${node}`);
  }
  const parent = pieces.findIndex((piece) => /\/Parent $/.test(piece));
  return refs.filter((_, i) => i !== parent).flatMap((kid) => pagesBelow(objects, kid));
}

/** Numbers of a file's objects: from `OWN` on each page's own stream, and after those what is copied. */
const [PAGES, SAVE, SHARED, OWN] = [2, 4, 5, 6];

function fileOf(objects: ObjectsByNumber, pages: readonly number[], title: string, drawing: Drawing): Buffer {
  const streams = contentStreams(drawing, heightOf(objectAt(objects, pages[0] ?? 0)));
  const firstCopy = OWN + streams.pages.length;
  const numbers = new Map(reachable(objects, pages).map((old, i) => [old, firstCopy + i]));
  const kids = pages.map((page) => `${numbers.get(page)} 0 R`).join(' ');
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
    [
      `<</Type /Catalog /Pages ${PAGES} 0 R /Lang (es-MX) /ViewerPreferences <</PrintScaling /None>>>>\nendobj\n`,
    ],
    [`<</Type /Pages /Count ${pages.length} /Kids [${kids}]>>\nendobj\n`],
    [`<</Title <feff${Buffer.from(title, 'utf16le').swap16().toString('hex')}>>>\nendobj\n`],
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

/** Returns the numbers of the pages and of all that they refer to, except their parents. */
function reachable(objects: ObjectsByNumber, pages: readonly number[]): number[] {
  const found = new Set(pages);
  for (const number of found) {
    const { pieces, refs } = objectAt(objects, number);
    for (const [i, piece] of pieces.entries()) {
      if (!stringsAreWhole(piece))
        throw new UnsupportedPdfError('A string holds what looks like a reference');
      const ref = refs[i];
      if (ref !== undefined && !/\/Parent $/.test(piece)) found.add(ref);
    }
  }
  return [...found];
}

/** Objects were split at references and streams; one that stood inside a string has left half a string. */
function stringsAreWhole(piece: string): boolean {
  return !piece.includes('\\') && piece.split('(').length === piece.split(')').length;
}
