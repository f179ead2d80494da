import Papa from 'papaparse';

/** Cells of a file, row by row, as texts. Empty rows are there, so that a row has the number that a spreadsheet shows. */
export type Cells = string[][];

/** What stops the reading of a file. The message is for the person who chose it. */
export class UnreadableFile extends Error {}

/** Rows by which it is guessed what stands between cells. */
const GUESSED_FROM = 20;
const BOMS: readonly (readonly [encoding: string, bytes: readonly number[]])[] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
];

/** Reads a CSV file or cells that were pasted, with whatever stands between the cells. @throws UnreadableFile */
export function readText(text: string): Cells {
  const { meta } = Papa.parse<string[]>(text, {
    delimitersToGuess: [',', ';', '\t', '|'],
    skipEmptyLines: 'greedy',
    preview: GUESSED_FROM,
  });
  const { data, errors } = Papa.parse<string[]>(text.trimEnd(), { delimiter: meta.delimiter });
  const broken = errors.find(({ type }) => type === 'Quotes');
  if (broken)
    throw new UnreadableFile(
      `Hay comillas mal puestas o sin cerrar cerca de la fila ${(broken.row ?? 0) + 1}.`,
    );
  return data;
}

/** Whether a row has no text. */
export function isEmpty(row: readonly string[]): boolean {
  return row.every((text) => text.trim() === '');
}

/** Returns the text of bytes in UTF-8 or UTF-16 with a byte order mark, in UTF-8, or else in Windows-1252. */
export function decode(bytes: Uint8Array): string {
  const marked = BOMS.find(([, bom]) => bom.every((byte, i) => bytes[i] === byte));
  if (marked) return new TextDecoder(marked[0]).decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}
