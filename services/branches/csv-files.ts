import { writeFile } from 'node:fs/promises';
import type { LoadOptions } from '#shared/branches/branch-store.ts';
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

export type Dataset<R, C extends string> = {
  table: CsvTable<R, C>;
  loaded: readonly R[];
  /** Of what is loaded. */
  version: string;
  load(records: readonly R[], options: LoadOptions): Promise<void>;
};

/** Numbers of records. */
export type Changes = { added: number; changed: number; removed: number };

/**
 * Reads and compares a CSV file with what is loaded, with the progress on standard error.
 * @throws InvalidFileError for an invalid file.
 */
export async function readCsv<R, C extends string>(
  path: string,
  { table, loaded }: Pick<Dataset<R, C>, 'table' | 'loaded'>,
): Promise<{ records: R[]; changes: Changes }> {
  const progress = progressLine();
  try {
    const onProgress = (rows: number) => progress.show(`Revisadas: ${rows}`);
    const records = await namingFile(path, () => readRecords(path, table, onProgress));
    return { records, changes: compare(table, loaded, records) };
  } finally {
    progress.clear();
  }
}

/**
 * Replaces a dataset, all or nothing, with the progress on standard error.
 * @throws DomainError `directory-changed` if another load ended since `version` was read.
 */
export async function replaceDataset<R>(
  { version, load }: Pick<Dataset<R, never>, 'version' | 'load'>,
  records: readonly R[],
): Promise<void> {
  const progress = progressLine();
  try {
    const onProgress = (written: number) => progress.show(`Guardadas: ${written} de ${records.length}`);
    await load(records, { comparedWith: version, onProgress });
  } finally {
    progress.clear();
  }
}

/** Writes CSV ordered by its first column; without `path`, to standard output. */
export async function exportCsv<R, C extends string>(
  path: string | undefined,
  { table, loaded }: Pick<Dataset<R, C>, 'table' | 'loaded'>,
): Promise<void> {
  const rows = loaded.map(table.toCells).sort(([one = ''], [other = '']) => (one < other ? -1 : 1));
  const columns = columnsOf(table);
  const isWritten = columns.map(
    (column, i) => !table.exportedIfUsed?.includes(column) || rows.some((cells) => cells[i] !== ''),
  );
  const written = <V>(cells: readonly V[]) => cells.filter((_, i) => isWritten[i]);
  const text = formatCsv(written(columns), rows.map(written));
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
    const value = table.key(record);
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

function compare<R>(table: CsvTable<R, string>, loaded: readonly R[], records: readonly R[]): Changes {
  const before = new Map(loaded.map((record) => [table.key(record), table.toCells(record).join('\n')]));
  let added = 0;
  let changed = 0;
  for (const record of records) {
    const old = before.get(table.key(record));
    if (old === undefined) added++;
    else if (old !== table.toCells(record).join('\n')) changed++;
  }
  return { added, changed, removed: before.size - (records.length - added) };
}
