import { isUtf8 } from 'node:buffer';
import { POSTAL_CODE_FORM, type PostalCode } from '#shared/branches/postal-code.ts';
import { InvalidFileError, LineReport, readBytes } from '#shared/commands/csv.ts';

/** Reads `CPdescarga.txt`, the download of the national catalogue: a row for each colonia, its cells separated by `|`. */

/** The columns that count, by their names in the header. */
const COLUMNS = ['d_codigo', 'd_asenta', 'D_mnpio', 'd_estado', 'd_ciudad'] as const;
/** A row's cells of these columns, in their order. */
type Cells = [code: string, colonia: string, municipality: string, state: string, city: string];

/** Most rows. The catalogue of 2026 has 159 000. */
const MAX_ROWS = 200_000;
/** Control characters, and what stands for bytes that could not be read. */
const FOREIGN = /[\p{Cc}\u2028\u2029\uFFFD]/u;
const FOREIGN_REASON =
  'tiene caracteres ajenos a ISO-8859-1: descarguelo otra vez, y no lo guarde en otro programa';
const NAME = { form: /^.{1,120}$/u, reason: 'debe tener de 1 a 120 caracteres' };
/** In the order of the columns. */
const RULES = [
  { form: POSTAL_CODE_FORM, reason: 'debe tener 5 digitos' },
  NAME,
  NAME,
  NAME,
  { form: /^.{0,120}$/u, reason: 'admite hasta 120 caracteres' },
];
const BY_NAME = new Intl.Collator('es');

/**
 * Reads the postal codes of a file, in ISO-8859-1 or in UTF-8, by ascending code.
 * @param onProgress is called with the number of rows that were read.
 * @throws InvalidFileError that lists every wrong line.
 */
export async function readPostalCodes(
  path: string,
  onProgress: (rows: number) => void,
): Promise<PostalCode[]> {
  const bytes = await readBytes(path);
  // A text in ISO-8859-1 that has an accent is not UTF-8.
  const text = bytes.toString(isUtf8(bytes) ? 'utf8' : 'latin1');
  const { line: header, columns } = findHeader(text);
  const report = new LineReport();
  const seen = new Map<string, number>();
  const byCode = new Map<string, Cells[]>();
  for (const [line, row] of linesOf(text)) {
    if (line <= header || row === '') continue;
    if (seen.size >= MAX_ROWS) throw new InvalidFileError(`El archivo tiene mas de ${MAX_ROWS} filas`);
    const earlier = seen.get(row);
    if (earlier !== undefined) report.add({ line, reason: `repetida, ya esta en la linea ${earlier}` });
    seen.set(row, earlier ?? line);
    const cells = cellsOf(row, columns, line, report);
    if (cells) addTo(byCode, cells[0], cells);
    onProgress(seen.size);
  }
  if (seen.size === 0) throw new InvalidFileError('El archivo no tiene filas');
  if (report.count > 0) throw new InvalidFileError(`No se cargo nada. Errores: ${report.count}\n${report}`);
  return [...byCode].sort(byText).map(([code, rows]) => postalCodeOf(code, rows));
}

/** Yields the trimmed lines of a text with their numbers, one at a time: the pod for loads has 384 MiB. */
function* linesOf(text: string): Generator<[line: number, row: string]> {
  let line = 1;
  for (let start = 0; start < text.length; line++) {
    const end = text.indexOf('\n', start);
    yield [line, text.slice(start, end < 0 ? text.length : end).trim()];
    start = end < 0 ? text.length : end + 1;
  }
}

/** Names of the header, in the file's order. */
type Header = { line: number; columns: readonly string[] };

/** Finds the header in the first two lines: above it the download has a sentence about its use. @throws InvalidFileError */
function findHeader(text: string): Header {
  const [first, second] = linesOf(text);
  const [line, row] = [first, second].find((each) => each?.[1].includes('|')) ?? [0, ''];
  const columns = row.replace('\uFEFF', '').split('|');
  const missing = COLUMNS.filter((column) => !columns.includes(column));
  if (missing.length > 0) {
    throw new InvalidFileError(
      `El archivo no parece CPdescarga.txt: en la linea 1 o 2 falta el encabezado con ${missing.join(', ')}, separados por |`,
    );
  }
  return { line, columns };
}

/** Returns the cells of a row; undefined if one is wrong, which the report then has. */
function cellsOf(
  row: string,
  columns: readonly string[],
  line: number,
  report: LineReport,
): Cells | undefined {
  const texts = row.split('|');
  if (texts.length !== columns.length) {
    report.add({ line, reason: `tiene ${texts.length} columnas, el encabezado ${columns.length}` });
    return undefined;
  }
  const cells = COLUMNS.map((column) => texts[columns.indexOf(column)]?.trim() ?? '') as Cells;
  let isRight = true;
  for (const [i, { form, reason }] of RULES.entries()) {
    const value = cells[i] ?? '';
    const isForeign = FOREIGN.test(value);
    if (!isForeign && form.test(value)) continue;
    isRight = false;
    report.add({ line, column: COLUMNS[i] ?? '', value, reason: isForeign ? FOREIGN_REASON : reason });
  }
  return isRight ? cells : undefined;
}

/** A colonia stands once, although a code may have two of one name. What differs within a code is that of most rows. */
function postalCodeOf(code: string, rows: readonly Cells[]): PostalCode {
  return {
    CodigoPostal: code,
    Estado: mostFrequent(rows.map(([, , , state]) => state)),
    Municipio: mostFrequent(rows.map(([, , municipality]) => municipality)),
    Ciudad: mostFrequent(rows.map(([, , , , city]) => city).filter(Boolean)),
    Colonias: [...new Set(rows.map(([, colonia]) => colonia))].sort(BY_NAME.compare),
  };
}

/** Returns the text that is there most often, of several the first; `''` if there is none. */
function mostFrequent(texts: readonly string[]): string {
  const counts = [...Map.groupBy(texts, (text) => text)];
  return counts.sort(([, one], [, other]) => other.length - one.length)[0]?.[0] ?? '';
}

function byText([one]: [string, unknown], [other]: [string, unknown]): number {
  return one < other ? -1 : 1;
}

function addTo<V>(lists: Map<string, V[]>, key: string, value: V): void {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
}
