import { progressLine } from '#shared/terminal/progress-line.ts';
import type { CsvTable } from './csv-columns.ts';
import type { Dataset } from './datasets.ts';
import { readRecords } from './read-records.ts';

/** How many records a load adds, changes and removes. */
export type Changes = { added: number; changed: number; removed: number };

/**
 * Replaces a dataset by the records of a CSV file, all or nothing, and shows the progress on standard error.
 *
 * @param options.dryRun only checks the file and compares it with what is loaded.
 * @throws InvalidFileError for a file that is not right; DomainError `overtaken` when a load that began later is in force.
 */
export async function importCsv<R, C extends string>(
  path: string,
  { table, loaded, load, warning }: Dataset<R, C>,
  { dryRun }: { dryRun: boolean },
): Promise<{ rows: number; changes: Changes; warning: string | undefined }> {
  const progress = progressLine();
  try {
    const records = await readRecords(path, table, (rows) => progress.show(`Revisadas: ${rows}`));
    const rows = records.length;
    const changes = compare(table, loaded, records);
    if (!dryRun) await load(records, (written) => progress.show(`Guardadas: ${written} de ${rows}`));
    return { rows, changes, warning: warning(records) };
  } finally {
    progress.clear();
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
