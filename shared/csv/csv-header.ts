import { InvalidFileError, quoted } from './line-report.ts';
import { parseLines } from './parse-lines.ts';

export type CsvHeader<C extends string> = {
  /** What separates the cells of the whole file: `,` or `;`. */
  delimiter: string;
  /** How many cells a row must have. */
  width: number;
  /** Names the cells of a row by their columns, in the order of the columns. A column that is not there has empty ones. */
  toRecord(cells: readonly string[]): Record<C, string>;
};

/** Most unknown columns that a message names: the file may be anything. */
const MAX_NAMES = 5;

/**
 * Parses the first line of a file.
 *
 * @param required the columns that must be there.
 * @throws InvalidFileError unless it names these, none twice, and none but `columns`.
 */
export function parseHeader<C extends string>(
  line: string,
  columns: readonly C[],
  required: readonly C[],
): CsvHeader<C> {
  const delimiter = line.includes(';') ? ';' : ',';
  const names = parseLines([line], delimiter)[0] ?? [];
  const wrong = findProblems(names, columns, required);
  if (wrong.length > 0) {
    throw new InvalidFileError(`Encabezado (linea 1): ${wrong.join('; ')}. Debe ser: ${columns.join(',')}`);
  }
  const positions = columns.map((column) => [column, names.indexOf(column)] as const);
  return {
    delimiter,
    width: names.length,
    toRecord: (cells) =>
      Object.fromEntries(positions.map(([column, index]) => [column, cells[index] ?? ''])) as Record<
        C,
        string
      >,
  };
}

function findProblems(
  names: readonly string[],
  columns: readonly string[],
  required: readonly string[],
): string[] {
  const missing = required.filter((column) => !names.includes(column));
  const unknown = names.filter((name) => !columns.includes(name)).slice(0, MAX_NAMES);
  const repeated = names.filter((name, index) => names.indexOf(name) !== index && columns.includes(name));
  return [
    ...(missing.length > 0 ? [`faltan columnas: ${missing.join(', ')}`] : []),
    ...(unknown.length > 0 ? [`columnas desconocidas: ${unknown.map(quoted).join(', ')}`] : []),
    ...(repeated.length > 0 ? [`columnas repetidas: ${repeated.join(', ')}`] : []),
  ];
}
