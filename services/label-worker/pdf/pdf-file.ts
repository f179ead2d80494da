import { deflateSync } from 'node:zlib';

/** What stands between `n 0 obj` and the next object, in Latin-1 or as bytes. */
export type PdfChunk = string | Buffer;

/**
 * Writes a PDF file (ISO 32000-1, 7.5). An object's number is its place in `objects`, from 1; the first is the catalog,
 * the third the information dictionary. Without dates and id, the same objects give the same file.
 */
export function pdfFile(objects: readonly (readonly PdfChunk[])[]): Buffer {
  const chunks: Buffer[] = [];
  let length = 0;
  const add = (chunk: PdfChunk) => {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk, 'latin1') : chunk;
    chunks.push(bytes);
    length += bytes.length;
  };
  add('%PDF-1.4\n%\xd3\xeb\xe9\xe1\n');
  let table = '0000000000 65535 f \n';
  for (const [i, object] of objects.entries()) {
    table += `${String(length).padStart(10, '0')} 00000 n \n`;
    add(`${i + 1} 0 obj\n`);
    for (const chunk of object) add(chunk);
  }
  const size = objects.length + 1;
  add(
    `xref\n0 ${size}\n${table}trailer\n<</Size ${size} /Root 1 0 R /Info 3 0 R>>\nstartxref\n${length}\n%%EOF\n`,
  );
  return Buffer.concat(chunks, length);
}

/** Returns a stream object of operators in ASCII. */
export function contentStream(operators: string): PdfChunk[] {
  return [`<</Length ${operators.length}>>\nstream\n${operators}\nendstream\nendobj\n`];
}

/** Memory for a few kilobytes: zlib allocates it for each stream, and its default takes a third of the time. */
const COMPRESSION = { level: 1, windowBits: 13, memLevel: 7 };

/** Returns the same object compressed, which pays from a kilobyte on. */
export function compressedStream(operators: string): PdfChunk[] {
  const compressed = deflateSync(operators, COMPRESSION);
  const dictionary = `<</Filter /FlateDecode /Length ${compressed.length}>>\nstream\n`;
  return [dictionary, compressed, '\nendstream\nendobj\n'];
}
