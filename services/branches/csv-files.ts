import { writeFile } from 'node:fs/promises';
import { writeToOutput } from '#shared/commands/broken-pipe.ts';
import {
  formatCsv,
  InvalidFileError,
  isMisread,
  LineReport,
  NOT_UTF8,
  namingFile,
  type Row,
  readGuardedRows,
} from '#shared/commands/csv.ts';
import { progressLine } from '#shared/commands/terminal.ts';
import { type CsvTable, columnsOf, requiredColumnsOf } from './csv-columns.ts';

/**
 * Reads and checks a CSV file, with the progress on standard error.
 * @throws InvalidFileError for an invalid file.
 */
export async function readCsv<R, C extends string>(path: string, table: CsvTable<R, C>): Promise<R[]> {
  const progress = progressLine();
  try {
    const onProgress = (rows: number) => progress.show(`Revisadas: ${rows}`);
    return await namingFile(path, () => readRecords(path, table, onProgress));
  } finally {
    progress.clear();
  }
}

/** Writes CSV ordered by its first column; without `path`, to standard output. */
export async function exportCsv<R, C extends string>(
  path: string | undefined,
  table: CsvTable<R, C>,
  records: readonly R[],
): Promise<void> {
  const rows = records.map(table.toCells).sort(([one = ''], [other = '']) => (one < other ? -1 : 1));
  const text = formatCsv(columnsOf(table), rows);
  if (path) await writeFile(path, text);
  else await writeToOutput([text]);
}

/** Checks each cell and refuses duplicates. @throws InvalidFileError that lists every error with its line. */
async function readRecords<R, C extends string>(
  path: string,
  table: CsvTable<R, C>,
  onProgress: (rows: number) => void,
): Promise<R[]> {
  const report = new LineReport();
  const columns = columnsOf(table);
  const records: R[] = [];
  const lines = new Map<string, number>();
  for await (const row of readGuardedRows(path, columns, report, requiredColumnsOf(table))) {
    checkCells(row, table, report);
    const record = table.toRecord(row.cells);
    const [value = ''] = table.toCells(record);
    const earlier = lines.get(value);
    if (earlier === undefined) lines.set(value, row.line);
    else {
      const reason = `repetido, ya esta en la linea ${earlier}`;
      report.add({ line: row.line, column: columns[0] ?? '', value, reason });
    }
    records.push(record);
    onProgress(records.length);
  }
  if (report.count > 0) throw new InvalidFileError(`No se cargo nada. Errores: ${report.count}\n${report}`);
  return records;
}

function checkCells<C extends string>(
  { line, cells }: Row<C>,
  { rules }: Pick<CsvTable<never, C>, 'rules'>,
  report: LineReport,
): void {
  for (const column of Object.keys(rules) as C[]) {
    const value = cells[column];
    const { fits, reason } = rules[column];
    if (isMisread(value)) report.add({ line, column, value, reason: NOT_UTF8 });
    else if (!fits(value)) report.add({ line, column, value, reason });
  }
}

/** Checks the cells of records that were stored. @throws Error with the first one that does not fit. */
export function requireFit<R>(table: CsvTable<R, string>, records: readonly R[]): void {
  const rules = Object.entries(table.rules);
  for (const cells of records.map(table.toCells)) {
    for (const [i, [column, { fits, reason }]] of rules.entries()) {
      if (fits(cells[i] ?? '')) continue;
      throw new Error(
        `No se cambio nada. En la carga anterior, ${column} ${cells[i]}: ${reason}. Restaure antes las sucursales, o cargue un archivo`,
      );
    }
  }
}
