import { BEFORE, type Drawing, strokes } from './drawing.ts';
import { contentStream, type PdfChunk, packedStream, pdfFile } from './pdf-file.ts';

/**
 * A splitter for the PDFs that Chromium prints, and for nothing else: it copies objects as bytes, since the
 * general libraries, which read and write each of them, cost ten times as much (`README.md` has the figures).
 *
 * Chromium (Skia) writes plain objects and one cross-reference table. Whatever is not so (object streams,
 * updates, encryption, strings in a page's objects, attributes that pages inherit) is refused, not guessed.
 */

/** The PDF is not as Chromium writes it. */
export class UnknownPdf extends Error {
  override name = 'UnknownPdf';
}

/** An object to be copied: `pieces[0] refs[0] pieces[1] refs[1] … pieces[n]`, then `body`, its stream's bytes. */
type PdfObject = { pieces: string[]; refs: number[]; body: Buffer };
type ObjectsByNumber = ReadonlyMap<number, PdfObject>;

/** A print, read once: `file` makes a PDF of some of its pages (from 0), with a label's drawing on them. */
export type ChromiumPdf = {
  pageCount: number;
  file(pages: readonly number[], title: string, drawing: Drawing): Buffer;
};

/** @throws UnknownPdf */
export function readChromiumPdf(pdf: Buffer): ChromiumPdf {
  const { offsets, end, root } = crossReferences(pdf);
  // An object ends where the next one in the file begins.
  const inFile = [...offsets.keys()].slice(1).sort((one, other) => offset(one) - offset(other));
  function offset(number: number): number {
    return offsets[number] ?? end;
  }
  const objects = new Map(
    inFile.map((number, i) => [
      number,
      readObject(pdf.subarray(offset(number), offset(inFile[i + 1] ?? -1)), number),
    ]),
  );
  const pages = pagesBelow(objects, objectAt(objects, root).refs[0] ?? 0);
  return {
    pageCount: pages.length,
    file: (wanted, title, drawing) =>
      fileOf(
        objects,
        wanted.map((index) => pages[index] ?? 0),
        title,
        drawing,
      ),
  };
}

/** ISO 32000-1, 7.5.4 and 7.5.5. `offsets` of the objects by number, `end` where the table begins. */
function crossReferences(pdf: Buffer): { offsets: number[]; end: number; root: number } {
  const end = Number(
    /startxref\n(\d+)\n%%EOF\s*$/.exec(pdf.toString('latin1', Math.max(0, pdf.length - 64)))?.[1],
  );
  const table =
    /^xref\n0 \d+\n((?:\d{10} \d{5} [nf] \n)+)trailer\n<<\/Size \d+\n\/Root (\d+) 0 R\n\/Info \d+ 0 R>>/;
  const [, entries, root] = table.exec(pdf.toString('latin1', end)) ?? [];
  if (!entries || !root) throw new UnknownPdf('Not one plain cross-reference table');
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
  if (!head.startsWith(start)) throw new UnknownPdf(`Object ${number} is not where the table says`);
  const parts = head.slice(start.length).split(/\b(\d+) 0 R\b/);
  return {
    pieces: parts.filter((_, i) => i % 2 === 0),
    refs: parts.filter((_, i) => i % 2 === 1).map(Number),
    body: stream < 0 ? Buffer.alloc(0) : bytes.subarray(stream),
  };
}

function objectAt(objects: ObjectsByNumber, number: number): PdfObject {
  const object = objects.get(number);
  if (!object) throw new UnknownPdf(`No object ${number}`);
  return object;
}

/** The numbers of the pages below a node of the page tree, in order. Skia puts eight kids in a node. */
function pagesBelow(objects: ObjectsByNumber, node: number): number[] {
  const { pieces, refs } = objectAt(objects, node);
  const text = pieces.join('');
  if (/\/Type \/Page\b/.test(text)) return [node];
  if (!/^<<\/Type \/Pages\s/.test(text) || /\/(Resources|MediaBox|CropBox|Rotate)\b/.test(text)) {
    throw new UnknownPdf('Pages inherit attributes');
  }
  const parent = pieces.findIndex((piece) => /\/Parent $/.test(piece));
  return refs.filter((_, i) => i !== parent).flatMap((kid) => pagesBelow(objects, kid));
}

/** Numbers in a file: after these come each page's own strokes, from `OWN` on, and then what is copied. */
const [PAGES, OPENING, COMMON, OWN] = [2, 4, 5, 6];

function fileOf(objects: ObjectsByNumber, pages: readonly number[], title: string, drawing: Drawing): Buffer {
  const { common, own } = strokes(drawing, heightOf(objectAt(objects, pages[0] ?? 0)));
  const numbers = new Map(reachable(objects, pages).map((old, i) => [old, OWN + own.length + i]));
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
      return piece + (isContent ? `[${OPENING} 0 R ${copied} ${COMMON} 0 R ${OWN + index} 0 R]` : copied);
    });
    return [text.join(''), body];
  };
  return pdfFile([
    [
      `<</Type /Catalog /Pages ${PAGES} 0 R /Lang (es-MX) /ViewerPreferences <</PrintScaling /None>>>>\nendobj\n`,
    ],
    [`<</Type /Pages /Count ${pages.length} /Kids [${kids}]>>\nendobj\n`],
    [`<</Title <feff${Buffer.from(title, 'utf16le').swap16().toString('hex')}>>>\nendobj\n`],
    contentStream(BEFORE),
    packedStream(common),
    ...own.map(contentStream),
    ...[...numbers.keys()].map(copy),
  ]);
}

/** In points. A page with another content than one stream is none of Chromium's. */
function heightOf({ pieces }: PdfObject): number {
  const height = /\/MediaBox \[0 0 [\d.]+ ([\d.]+)\]/.exec(pieces.join(' '))?.[1];
  if (!height || pieces.filter((piece) => piece.endsWith('/Contents ')).length !== 1) {
    throw new UnknownPdf('A page without size or content');
  }
  return Number(height);
}

/** The pages and all that they refer to but their parents. */
function reachable(objects: ObjectsByNumber, pages: readonly number[]): number[] {
  const found = new Set(pages);
  for (const number of found) {
    const { pieces, refs } = objectAt(objects, number);
    for (const [i, piece] of pieces.entries()) {
      if (!stringsAreWhole(piece)) throw new UnknownPdf('A string holds what looks like a reference');
      const ref = refs[i];
      if (ref !== undefined && !/\/Parent $/.test(piece)) found.add(ref);
    }
  }
  return [...found];
}

/** Objects were cut at references and streams; one that stood inside a string has torn it. */
function stringsAreWhole(piece: string): boolean {
  return !piece.includes('\\') && piece.split('(').length === piece.split(')').length;
}
