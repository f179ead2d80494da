import { writeFile } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { formatCsv } from '#shared/csv/format-csv.ts';
import { columnsOf } from './csv-columns.ts';
import type { Dataset } from './datasets.ts';

/** Writes a dataset as CSV, ordered by its first column, to a file or to standard output. */
export async function exportCsv<R, C extends string>(
  path: string | undefined,
  { table, loaded }: Dataset<R, C>,
): Promise<void> {
  const rows = loaded.map(table.toCells).sort(([one = ''], [other = '']) => (one < other ? -1 : 1));
  const text = formatCsv(columnsOf(table), rows);
  if (path) await writeFile(path, text);
  else await pipeline([text], process.stdout); // unlike a plain write, notices a reader that went away
}
