import { deflateSync } from 'node:zlib';

/** What stands between `n 0 obj` and the next object, in Latin-1 or as bytes. */
export type PdfChunk = string | Buffer;

/** The beginning of a file, as Chromium (Skia) writes it. */
const PDF_HEADER = '%PDF-1.4\n%\xd3\xeb\xe9\xe1\n';
/** Object numbers that are the same in every file of ours. */
export const [CATALOG, PAGES, INFORMATION] = [1, 2, 3];

/**
 * Writes a PDF file piece by piece (ISO 32000-1, 7.5): `header`, then each object once in any order, then `end`. Keeps only
 * the objects' offsets. A file has no dates and no id, so the same objects give the same file.
 */
export class PdfWriter {
  /** By object number. */
  readonly #offsets: number[] = [];
  #length = 0;

  header(): Buffer {
    return this.#write([PDF_HEADER]);
  }

  /** @param number counts from 1. No number may be left out. */
  object(number: number, chunks: readonly PdfChunk[]): Buffer {
    this.#offsets[number] = this.#length;
    return this.#write([`${number} 0 obj\n`, ...chunks]);
  }

  end(): Buffer {
    const size = this.#offsets.length;
    let table = '0000000000 65535 f \n';
    for (let number = 1; number < size; number++) {
      table += `${String(this.#offsets[number]).padStart(10, '0')} 00000 n \n`;
    }
    const trailer = `<</Size ${size} /Root ${CATALOG} 0 R /Info ${INFORMATION} 0 R>>`;
    return this.#write([`xref\n0 ${size}\n${table}trailer\n${trailer}\nstartxref\n${this.#length}\n%%EOF\n`]);
  }

  #write(chunks: readonly PdfChunk[]): Buffer {
    const bytes = bytesOf(chunks);
    this.#length += bytes.length;
    return bytes;
  }
}

export function bytesOf(chunks: readonly PdfChunk[]): Buffer {
  return Buffer.concat(
    chunks.map((chunk) => (typeof chunk === 'string' ? Buffer.from(chunk, 'latin1') : chunk)),
  );
}

/** Asks viewers not to shrink a page to the printer's margins, which would break the dots of bars. */
export function catalog(): PdfChunk[] {
  return [
    `<</Type /Catalog /Pages ${PAGES} 0 R /Lang (es-MX) /ViewerPreferences <</PrintScaling /None>>>>\nendobj\n`,
  ];
}

export function pageTree(pages: readonly number[]): PdfChunk[] {
  const kids = pages.map((page) => `${page} 0 R`).join(' ');
  return [`<</Type /Pages /Count ${pages.length} /Kids [${kids}]>>\nendobj\n`];
}

export function information(title: string): PdfChunk[] {
  return [`<</Title <feff${Buffer.from(title, 'utf16le').swap16().toString('hex')}>>>\nendobj\n`];
}

/** @param operators in ASCII. */
export function contentStream(operators: string): PdfChunk[] {
  return [`<</Length ${operators.length}>>\nstream\n${operators}\nendstream\nendobj\n`];
}

/** Memory for a few kilobytes makes zlib faster. */
const COMPRESSION = { level: 1, windowBits: 13, memLevel: 7 };

/** Compression pays from a kilobyte on. @param entries of the dictionary. */
export function compressedStream(operators: string, entries = ''): PdfChunk[] {
  const compressed = deflateSync(Buffer.from(operators, 'latin1'), COMPRESSION);
  const dictionary = `<<${entries}/Filter /FlateDecode /Length ${compressed.length}>>\nstream\n`;
  return [dictionary, compressed, '\nendstream\nendobj\n'];
}
