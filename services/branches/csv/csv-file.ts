import { createReadStream } from 'node:fs';
import { CsvError, parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import { type LineReport, quoted } from './line-report.ts';

/** A row by its columns' names, in their usual order, and its line, from 1; blanks around a cell are gone. */
export type Row<C extends string> = { line: number; cells: Record<C, string> };

/** The file cannot be used; the message says why, in Spanish. */
export class FileRefused extends Error {}

const MAX_BYTES = 64 * 1024 * 1024;
const MAX_ROWS = 200_000;
/** Longest line, in characters: several times the longest row that the rules allow. */
const MAX_LINE = 10_000;
/** Most unknown columns that are named: the file may be anything. */
const MAX_NAMES = 5;
const BYTE_ORDER_MARK = '\uFEFF';
/** What stands in decoded text for bytes that are not UTF-8. */
const NOT_UTF8 = '\uFFFD';

/**
 * The rows of a CSV file: UTF-8, with or without byte order mark; `,` or `;` between cells, as the header has
 * it; CRLF or LF; cells may be quoted; columns in any order. Rows without any value are passed over.
 *
 * A row is a line: no cell may hold a line break. So a quote that is not closed spoils its own line, not all
 * that follow, and every problem is reported with the line that an editor shows.
 *
 * @param columns the names that the header must have, all of them and no others.
 * @param report receives what is wrong with single lines, which are left out.
 * @throws FileRefused for a wrong header, or too many bytes or rows.
 */
export async function* readRows<C extends string>(
  path: string,
  columns: readonly C[],
  report: LineReport,
): AsyncGenerator<Row<C>> {
  let header: string[] | undefined;
  let delimiter = ',';
  let line = 0;
  let rows = 0;
  for await (const text of linesOf(path)) {
    // Empty lines count too: they also take their time.
    if (++line > MAX_ROWS + 1) throw new FileRefused(`El archivo tiene mas de ${MAX_ROWS} filas`);
    if (!header) {
      delimiter = text.includes(';') ? ';' : ',';
      header = checkedHeader(cellsOf(text.replace(BYTE_ORDER_MARK, ''), delimiter) ?? [], columns);
      continue;
    }
    const cells = cellsOf(text, delimiter);
    if (!cells) {
      report.add({ line, reason: 'comillas mal puestas o sin cerrar' });
    } else if (cells.some((cell) => cell !== '')) {
      rows++;
      if (cells.length === header.length) yield { line, cells: named(columns, header, cells) };
      else report.add({ line, reason: `tiene ${cells.length} columnas, el encabezado ${header.length}` });
    }
  }
  if (rows === 0 && report.count === 0) throw new FileRefused('El archivo no tiene filas');
}

/** Bounded whatever the file holds; it may also be a pipe. */
async function* linesOf(path: string): AsyncGenerator<string> {
  const file = createReadStream(path, 'utf8');
  let rest = '';
  for await (const chunk of file) {
    if (file.bytesRead > MAX_BYTES)
      throw new FileRefused(`El archivo mide mas de ${MAX_BYTES / 1024 / 1024} MiB`);
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > MAX_LINE)
      throw new FileRefused('El archivo tiene lineas demasiado largas, no parece un CSV');
    yield* lines;
  }
  if (rest) yield rest;
}

/** @returns undefined for a line whose quotes make no sense. */
function cellsOf(line: string, delimiter: string): string[] | undefined {
  try {
    const options = { delimiter, record_delimiter: '\n', relax_column_count: true };
    const [cells = []] = parse(line.replace(/\r$/, ''), options);
    return cells.map((cell) => withoutGuard(cell.trim()));
  } catch (error) {
    if (error instanceof CsvError) return undefined;
    throw error;
  }
}

function checkedHeader(header: string[], columns: readonly string[]): string[] {
  const missing = columns.filter((column) => !header.includes(column));
  const unknown = header.filter((name) => !columns.includes(name));
  const repeated = header.filter((name, index) => header.indexOf(name) !== index && columns.includes(name));
  const wrong = [
    ...(missing.length > 0 ? [`faltan columnas: ${missing.join(', ')}`] : []),
    ...(unknown.length > 0
      ? [`columnas desconocidas: ${unknown.slice(0, MAX_NAMES).map(quoted).join(', ')}`]
      : []),
    ...(repeated.length > 0 ? [`columnas repetidas: ${repeated.join(', ')}`] : []),
  ];
  if (wrong.length === 0) return header;
  throw new FileRefused(`Encabezado (linea 1): ${wrong.join('; ')}. Debe ser: ${columns.join(',')}`);
}

function named<C extends string>(
  columns: readonly C[],
  header: readonly string[],
  cells: readonly string[],
): Record<C, string> {
  const entries = columns.map((column) => [column, cells[header.indexOf(column)]]);
  return Object.fromEntries(entries) as Record<C, string>;
}

/**
 * The text of a CSV file, with a byte order mark, without which spreadsheets take UTF-8 for something else.
 *
 * What a spreadsheet would run as a formula is guarded by an apostrophe, which `readRows` takes away: at the beginning
 * of a cell, and after a `;`, where a spreadsheet that separates by `;` begins another one. One is added before any
 * apostrophes that are there already, so that every cell comes back as it was.
 */
export function csvText(columns: readonly string[], rows: readonly string[][]): string {
  const guarded = rows.map((row) => row.map((cell) => cell.replace(FORMULA, "$1'$2")));
  return stringify([columns, ...guarded], { bom: true });
}

/** https://owasp.org/www-community/attacks/CSV_Injection, the full-width forms included. */
const FORMULA = /(^|;)([\s"']*[=+\-@\t\r＝＋－＠])/g;
const GUARDED = /(^|;)'([\s"']*[=+\-@\t\r＝＋－＠])/g;

function withoutGuard(cell: string): string {
  return cell.replace(GUARDED, '$1$2');
}

/** Whether the bytes of this cell were not UTF-8. */
export function isMangled(cell: string): boolean {
  return cell.includes(NOT_UTF8);
}
