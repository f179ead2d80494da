/**
 * Reads PDFs with plain objects and one cross-reference table, as Chromium (Skia) prints them and as the labels are.
 * Objects are kept as bytes, since general libraries are much slower (docs/decisions/0003-own-pdf-splitter.md). Refuses
 * other PDFs (object streams, updates, encryption, strings in a page's objects, attributes that pages inherit) instead
 * of guessing.
 */

export class UnsupportedPdfError extends Error {
  override name = 'UnsupportedPdfError';
}

/** An object to be copied: `pieces[0] refs[0] pieces[1] refs[1] … pieces[n]`, then `body`, its stream's bytes. */
export type PdfObject = { pieces: string[]; refs: number[]; body: Buffer };
export type ObjectsByNumber = ReadonlyMap<number, PdfObject>;

/** Returns a PDF's objects, and the numbers of its pages in order. @throws UnsupportedPdfError */
export function readPdf(pdf: Buffer): { objects: Map<number, PdfObject>; pages: number[] } {
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
  return { objects, pages: pagesBelow(objects, objectAt(objects, root).refs[0] ?? 0) };
}

/**
 * Reads the table and trailer (ISO 32000-1, 7.5.4 and 7.5.5): `offsets` by object number, and `end`, that of the
 * table.
 */
function crossReferences(pdf: Buffer): { offsets: number[]; end: number; root: number } {
  const end = Number(
    /startxref\n(\d+)\n%%EOF\s*$/.exec(pdf.toString('latin1', Math.max(0, pdf.length - 64)))?.[1],
  );
  const table =
    /^xref\n0 \d+\n((?:\d{10} \d{5} [nf] \n)+)\s*trailer\n<<\s*\/Size \d+\s+\/Root (\d+) 0 R\s+\/Info \d+ 0 R\s*>>/;
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
  const start = `${number} 0 obj\n`;
  if (bytes.toString('latin1', 0, start.length) !== start)
    throw new UnsupportedPdfError(`Object ${number} is not where the cross-reference table says`);
  return parseObject(bytes.subarray(start.length));
}

/** Reads what stands between `n 0 obj` and the next object. */
export function parseObject(bytes: Buffer): PdfObject {
  const stream = bytes.indexOf('stream\n');
  const head = bytes.toString('latin1', 0, stream < 0 ? bytes.length : stream);
  const parts = head.split(/\b(\d+) 0 R\b/);
  return {
    pieces: parts.filter((_, i) => i % 2 === 0),
    refs: parts.filter((_, i) => i % 2 === 1).map(Number),
    body: stream < 0 ? Buffer.alloc(0) : bytes.subarray(stream),
  };
}

/** Returns the numbers of the pages below a node of the page tree, in order. Skia puts eight kids in a node. */
function pagesBelow(objects: ObjectsByNumber, node: number): number[] {
  const { pieces, refs } = objectAt(objects, node);
  const text = pieces.join('');
  if (/\/Type \/Page\b/.test(text)) return [node];
  if (!/^<<\s*\/Type \/Pages\s/.test(text) || /\/(Resources|MediaBox|CropBox|Rotate)\b/.test(text)) {
    throw new UnsupportedPdfError(`Pages inherit attributes from object ${node}`);
  }
  const parent = pieces.findIndex(endsWithParent);
  return refs.filter((_, i) => i !== parent).flatMap((kid) => pagesBelow(objects, kid));
}

export function objectAt(objects: ObjectsByNumber, number: number): PdfObject {
  const object = objects.get(number);
  if (!object) throw new UnsupportedPdfError(`The PDF has no object ${number}`);
  return object;
}

/**
 * Returns the numbers of the objects that an object refers to, except a page's parent.
 * @throws UnsupportedPdfError when an apparent reference may stand inside a string.
 */
export function neededBy({ pieces, refs }: PdfObject): number[] {
  if (!pieces.every(stringsAreWhole))
    throw new UnsupportedPdfError('A string holds what looks like a reference');
  return refs.filter((_, i) => !endsWithParent(pieces[i] ?? ''));
}

/** Returns these numbers and those of all objects that they need. @throws UnsupportedPdfError */
export function reachable(objects: ObjectsByNumber, from: readonly number[]): number[] {
  const found = new Set(from);
  for (const number of found) {
    for (const needed of neededBy(objectAt(objects, number))) found.add(needed);
  }
  return [...found];
}

export function withNumbers({ pieces, refs }: PdfObject, numberOf: (ref: number) => number): string {
  return pieces
    .map((piece, i) => {
      const ref = refs[i];
      return ref === undefined ? piece : `${piece}${numberOf(ref)} 0 R`;
    })
    .join('');
}

function endsWithParent(piece: string): boolean {
  return /\/Parent $/.test(piece);
}

/** Returns whether no string was split. Objects are split at references and streams, which may stand inside a string. */
function stringsAreWhole(piece: string): boolean {
  return !piece.includes('\\') && piece.split('(').length === piece.split(')').length;
}
