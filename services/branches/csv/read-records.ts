import { type Row, readRows } from '#shared/csv/csv-rows.ts';
import { InvalidFileError, LineReport } from '#shared/csv/line-report.ts';
import { type CsvTable, columnsOf } from './csv-columns.ts';

/** Stands in decoded text for bytes that are not UTF-8. */
const REPLACEMENT_CHARACTER = '\uFFFD';

/**
 * Reads all records of a CSV file, and checks each cell and that no record is there twice.
 *
 * @param onProgress is called with the number of rows read so far.
 * @throws InvalidFileError unless the whole file is right, with what is wrong line by line.
 */
export async function readRecords<R, C extends string>(
  path: string,
  table: CsvTable<R, C>,
  onProgress: (rows: number) => void,
): Promise<R[]> {
  const report = new LineReport();
  const columns = columnsOf(table);
  const records: R[] = [];
  const lines = new Map<string, number>();
  for await (const row of readRows(path, columns, report)) {
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
    if (value.includes(REPLACEMENT_CHARACTER)) {
      report.add({ line, column, value, reason: 'no es UTF-8: guarde el archivo como "CSV UTF-8"' });
    } else if (!fits(value)) report.add({ line, column, value, reason });
  }
}
