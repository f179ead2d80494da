import { deflateSync } from 'node:zlib';

/** What stands between `n 0 obj` and the next object, in latin-1 or as bytes. */
export type PdfChunk = string | Buffer;

/**
 * A PDF file (ISO 32000-1, 7.5) of objects whose numbers are their places, from 1; the first is the catalog, the third
 * the information. No dates and no id: the same objects give the same file.
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

/** @param content operators, in ASCII. */
export function contentStream(content: string): PdfChunk[] {
  return [`<</Length ${content.length}>>\nstream\n${content}\nendstream\nendobj\n`];
}

/** As much memory as a few kilobytes need: zlib makes it anew for each stream, which takes a third of the time. */
const PACKING = { level: 1, windowBits: 13, memLevel: 7 };

/** The same, made small: worth its time from a kilobyte on. */
export function packedStream(content: string): PdfChunk[] {
  const packed = deflateSync(content, PACKING);
  const head = `<</Filter /FlateDecode /Length ${packed.length}>>\nstream\n`;
  return [head, packed, '\nendstream\nendobj\n'];
}
