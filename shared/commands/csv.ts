import { createReadStream } from 'node:fs';
import { CsvError, parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import { addFormulaGuards, removeFormulaGuards } from './formula-guards.ts';

/** `line` counts from 1, which is the header. Cells are trimmed. */
export type Row<C extends string> = { line: number; cells: Record<C, string> };

const MAX_MIB = 64;
const MAX_ROWS = 200_000;
/** Longest line, in characters. It is several times the longest valid row. */
const MAX_LINE = 10_000;
/** Most unknown columns that a message names, because the file may be anything. */
const MAX_NAMES = 5;
/** Lines in one call of csv-parse. If one has a misplaced quote, all of them are parsed again one by one. */
const LINES_AT_ONCE = 1_000;
/** Stands in decoded text for bytes that are not UTF-8. */
const REPLACEMENT_CHARACTER = '\uFFFD';

export const NOT_UTF8 = 'no es UTF-8: guarde el archivo como "CSV UTF-8"';

/** Cells of a yes and a no. */
export const YES = /^(s[ií]|true|1)$/i;
export const NO = /^(no|false|0)$/i;

export function isMisread(cell: string): boolean {
  return cell.includes(REPLACEMENT_CHARACTER);
}

/** @throws InvalidFileError as `parseRows` and `readBytes` do. */
export async function* readRows<C extends string>(
  path: string,
  columns: readonly C[],
  report: LineReport,
  required: readonly C[] = columns,
): AsyncGenerator<Row<C>> {
  yield* parseRows((await readBytes(path)).toString(), columns, report, required);
}

/**
 * Parses the rows of a CSV file. Accepts `,` or `;` between cells, as in the header, CRLF or LF, quoted cells, columns in
 * any order, and a byte order mark. Skips empty rows. A row is a line, so an unclosed quote spoils only its own line, and
 * line numbers are those of an editor.
 * @param columns the possible names in the header. Cells of absent columns are empty.
 * @param report receives the problems of single lines, which are left out.
 * @param leastRows 0 if a header alone is a file.
 * @throws InvalidFileError for a wrong header, and for too few or too many rows or too long ones.
 */
export function* parseRows<C extends string>(
  content: string,
  columns: readonly C[],
  report: LineReport,
  required: readonly C[] = columns,
  leastRows = 1,
): Generator<Row<C>> {
  const lines = splitLines(content);
  const { names, delimiter } = parseHeader(lines.shift() ?? '', columns, required);
  if (lines.length > MAX_ROWS) throw new InvalidFileError(`El archivo tiene mas de ${MAX_ROWS} filas`);
  const positions = columns.map((column) => [column, names.indexOf(column)] as const);
  let line = 1;
  let rows = 0;
  for (let start = 0; start < lines.length; start += LINES_AT_ONCE) {
    for (const cells of parseLines(lines.slice(start, start + LINES_AT_ONCE), delimiter)) {
      line++;
      if (!cells) report.add({ line, reason: 'comillas mal puestas o sin cerrar' });
      else if (cells.some((cell) => cell !== '')) {
        rows++;
        const named = positions.map(([column, position]) => [column, cells[position] ?? '']);
        if (cells.length === names.length) yield { line, cells: Object.fromEntries(named) };
        else
          report.add({
            line,
            reason: columnCount(cells.length, names.length),
          });
      }
    }
  }
  if (rows < leastRows && report.count === 0) throw new InvalidFileError('El archivo no tiene filas');
}

/** Hints at a comma in an amount, which makes one cell more. */
function columnCount(cells: number, heads: number): string {
  const hint = cells > heads ? ': ¿un importe con coma, como 117,00?' : '';
  return `tiene ${cells} columnas, el encabezado ${heads}${hint}`;
}

/** Reads a file that `addFormulaGuards` has guarded, and returns each cell as it was before. */
export async function* readGuardedRows<C extends string>(
  path: string,
  columns: readonly C[],
  report: LineReport,
  required: readonly C[] = columns,
): AsyncGenerator<Row<C>> {
  for await (const { line, cells } of readRows(path, columns, report, required)) {
    const unguarded = columns.map((column) => [column, removeFormulaGuards(cells[column])]);
    yield { line, cells: Object.fromEntries(unguarded) };
  }
}

/** Reads a file, which may also be a pipe. @throws InvalidFileError for too many bytes. */
export async function readBytes(path: string, maxMib = MAX_MIB): Promise<Buffer> {
  const maxBytes = maxMib * 2 ** 20;
  const file = createReadStream(path, { end: maxBytes });
  const chunks: Buffer[] = [];
  for await (const chunk of file) chunks.push(chunk);
  if (file.bytesRead > maxBytes) throw new InvalidFileError(`El archivo mide mas de ${maxMib} MiB`);
  return Buffer.concat(chunks);
}

function splitLines(content: string): string[] {
  if (content === '') throw new InvalidFileError('El archivo no tiene filas');
  const lines = content.replace(/\n$/, '').split('\n');
  if (lines.some(({ length }) => length > MAX_LINE))
    throw new InvalidFileError('El archivo tiene lineas demasiado largas, no parece un CSV');
  return lines;
}

/** @throws InvalidFileError unless the line names the columns, none twice, and no others. */
function parseHeader(line: string, columns: readonly string[], required: readonly string[]) {
  const delimiter = line.includes(';') ? ';' : ',';
  const names = parseLines([line], delimiter)[0] ?? [];
  const missing = required.filter((column) => !names.includes(column));
  const unknown = names.filter((name) => !columns.includes(name)).slice(0, MAX_NAMES);
  const repeated = names.filter((name, index) => names.indexOf(name) !== index && columns.includes(name));
  const wrong = [
    ...(missing.length > 0 ? [`faltan columnas: ${missing.join(', ')}`] : []),
    ...(unknown.length > 0 ? [`columnas desconocidas: ${unknown.map(quoted).join(', ')}`] : []),
    ...(repeated.length > 0 ? [`columnas repetidas: ${repeated.join(', ')}`] : []),
  ];
  if (wrong.length > 0) {
    throw new InvalidFileError(`Encabezado (linea 1): ${wrong.join('; ')}. Debe ser: ${columns.join(',')}`);
  }
  return { names, delimiter };
}

/**
 * Parses lines into trimmed cells. A line with misplaced quotes gives undefined. One call parses many lines, which is far
 * faster. After a misplaced quote csv-parse joins lines or names a wrong one, so each line is then parsed alone.
 */
function parseLines(lines: readonly string[], delimiter: string): (string[] | undefined)[] {
  try {
    const rows: string[][] = parse(`${lines.join('\n')}\n`, {
      delimiter,
      bom: true,
      record_delimiter: ['\r\n', '\n'],
      relax_column_count: true,
    });
    if (rows.length === lines.length) {
      return rows.map((cells) => cells.map((cell) => cell.trim()));
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
  }
  return lines.length === 1 ? [undefined] : lines.flatMap((line) => parseLines([line], delimiter));
}

/**
 * Writes a header and rows as CSV, guarded from formulas, which a number never is. Spreadsheets recognize UTF-8 by the byte
 * order mark.
 */
export function formatCsv(columns: readonly string[], rows: readonly (string | number)[][]): string {
  return stringify([columns], { bom: true }) + formatRows(rows);
}

/** Writes more rows of the same file. */
export function formatRows(rows: readonly (string | number)[][]): string {
  return stringify(rows.map((row) => row.map(guarded)));
}

function guarded(cell: string | number): string | number {
  return typeof cell === 'string' ? addFormulaGuards(cell) : cell;
}

/** The file cannot be used. The message says why, in Spanish. */
export class InvalidFileError extends Error {}

/** Why a file or a folder cannot be read, by the system's codes. */
const UNREADABLE: Readonly<Record<string, string>> = {
  ENOENT: 'No existe',
  EISDIR: 'Es una carpeta: indique un archivo',
  ENOTDIR: 'No es una carpeta',
  EACCES: 'No hay permiso de lectura',
};

/**
 * Runs `use`, which reads a file or a folder.
 * @throws InvalidFileError with the path if it cannot be read, or if `use` finds it invalid; otherwise the error of `use`.
 */
export async function namingFile<T>(path: string, use: () => Promise<T>): Promise<T> {
  try {
    return await use();
  } catch (cause) {
    const { code = '', message } = cause as NodeJS.ErrnoException;
    const reason = cause instanceof InvalidFileError ? message : UNREADABLE[code];
    throw reason === undefined ? cause : new InvalidFileError(`${path}: ${reason}`, { cause });
  }
}

/** `line` counts from 1, which is the header. */
export type LineProblem = { line: number; column?: string; value?: string; reason: string };

const MAX_SHOWN = 100;
/** Longest part of a value that a report repeats, in characters. */
const MAX_VALUE = 40;

/** Counts the problems of a file, and keeps those that it will show. */
export class LineReport {
  #count = 0;
  readonly #shown: string[] = [];

  get count(): number {
    return this.#count;
  }

  add(problem: LineProblem): void {
    this.#count++;
    if (this.#shown.length < MAX_SHOWN) this.#shown.push(describe(problem));
  }

  toString(): string {
    const rest = this.#count - this.#shown.length;
    return [...this.#shown, ...(rest > 0 ? [`y ${rest} mas`] : [])].map((line) => `  ${line}`).join('\n');
  }
}

function describe({ line, column, value, reason }: LineProblem): string {
  const where = [`linea ${line}`, ...(column === undefined ? [] : [column])].join(', ');
  return `${where}${value === undefined ? '' : ` ${quoted(value)}`}: ${reason}`;
}

/** Quotes the beginning of a text, with the codes of the characters that a terminal would obey or hide. */
function quoted(value: string): string {
  const characters = [...value];
  const cut = characters.length > MAX_VALUE ? `${characters.slice(0, MAX_VALUE).join('')}...` : value;
  const visible = cut.replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
  return `"${visible}"`;
}
