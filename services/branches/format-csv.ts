import { stringify } from 'csv-stringify/sync';
import { addFormulaGuards } from '#shared/csv/formula-guards.ts';

/**
 * Formats rows as the text of a CSV file. It begins with a byte order mark, without which spreadsheets take UTF-8 for
 * another encoding, and holds nothing that a spreadsheet would run.
 */
export function formatCsv(columns: readonly string[], rows: readonly string[][]): string {
  return stringify([columns, ...rows.map((row) => row.map(addFormulaGuards))], { bom: true });
}
