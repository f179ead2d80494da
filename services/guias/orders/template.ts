import { formatCsv } from '#shared/csv/format-csv.ts';
import { COLUMNS, type Column } from './columns.ts';

/** Returns a file of orders with one example, for a spreadsheet. */
export function template(): string {
  return formatCsv(
    COLUMNS.map(({ name }) => name),
    [COLUMNS.map(({ example }) => example)],
  );
}

/** Describes the columns for the help, a line each. */
export function describeColumns(): string {
  const width = Math.max(...COLUMNS.map(({ name }) => name.length));
  return COLUMNS.map((column) => `  ${column.name.padEnd(width)}  ${describe(column)}`).join('\n');
}

function describe({ required, description, example }: Column): string {
  return `${required ? 'obligatoria. ' : ''}${description}${example && ` (${example})`}`;
}
