import { deflateSync } from 'node:zlib';
import { type PdfChunk, PdfWriter } from '#shared/pdf/pdf-writer.ts';

/**
 * Writes a PDF file. An object's number is its place in `objects`, from 1; the first three are those that every file of
 * ours has.
 */
export function pdfFile(objects: readonly (readonly PdfChunk[])[]): Buffer {
  const writer = new PdfWriter();
  const written = [
    writer.header(),
    ...objects.map((object, i) => writer.object(i + 1, object)),
    writer.end(),
  ];
  return Buffer.concat(written);
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
