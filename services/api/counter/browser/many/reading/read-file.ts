import { type Cells, decode, isEmpty, readText, UnreadableFile } from './read-text.ts';
import { readXlsx } from './read-xlsx.ts';

/** Most rows of a table; the heading is one more. */
export const MAX_ROWS = 5_000;
/** Largest file, in bytes. */
export const MAX_BYTES = 64 * 2 ** 20;

/** Reads the cells of a file: a workbook by its first bytes, or else text. @throws UnreadableFile */
export function readFile(bytes: Uint8Array): Cells {
  if (startsWith(bytes, [0x50, 0x4b])) return readXlsx(bytes, MAX_ROWS + 1);
  if (startsWith(bytes, [0xd0, 0xcf, 0x11, 0xe0]))
    throw new UnreadableFile(
      'Es un libro de Excel de antes de 2007 o con contraseña: guárdelo como .xlsx, sin contraseña.',
    );
  if (startsWith(bytes, [0x25, 0x50, 0x44, 0x46]))
    throw new UnreadableFile('Es un PDF: hace falta un CSV o un .xlsx.');
  return checked(readText(decode(bytes)));
}

/** Reads cells that were pasted. @throws UnreadableFile */
export function readPasted(text: string): Cells {
  return checked(readText(text));
}

function checked(cells: Cells): Cells {
  if (cells.filter((row) => !isEmpty(row)).length > MAX_ROWS + 1)
    throw new UnreadableFile(`El archivo tiene más de ${MAX_ROWS} filas: divídalo en varios.`);
  return cells;
}

function startsWith(bytes: Uint8Array, start: readonly number[]): boolean {
  return start.every((byte, i) => bytes[i] === byte);
}
