import { FIELDS, SERVICE } from './fields.ts';
import type { Row } from './rows.ts';
import type { Table } from './tables.ts';

/** What became of a row. */
export type Outcome = { guide?: string; total?: number; problem?: string };

/** Returns the rows as their file had them, corrected; columns without a meaning stay. */
export function correctedTable(rows: readonly Row[], others: readonly string[]): Table {
  const fields = fieldsIn(rows);
  return [
    [...fields.map(({ label }) => label), ...others],
    ...rows.map((row) => [
      ...fields.map(({ path }) => row.cells[path] ?? ''),
      ...others.map((_, i) => row.others[i] ?? ''),
    ]),
  ];
}

/** Returns the rows with the number of each guide, or why there is none. */
export function resultTable(rows: readonly (Row & { outcome: Outcome })[], others: readonly string[]): Table {
  const [headings = [], ...bodies] = correctedTable(rows, others);
  return [
    ['Guía', 'Total (MXN)', 'Problema', ...headings],
    ...bodies.map((texts, i) => {
      const { guide = '', total, problem = '' } = rows[i]?.outcome ?? {};
      return [guide, total === undefined ? '' : total.toFixed(2), problem, ...texts];
    }),
  ];
}

/** A file for somebody who has none: the headings that are usual, and how each is filled. */
export function sampleTable(): Table {
  const usual = FIELDS.filter(
    ({ path }) => !/^(?:Creado_por|Cobro)\.|RazonSocial|RFC|DestinoCode|TipoEnvio/.test(path),
  );
  const example = (path: string, text: string) => (path === SERVICE ? 'Domicilio' : text);
  return [usual.map(({ label }) => label), usual.map((field) => example(field.path, field.example))];
}

function fieldsIn(rows: readonly Row[]) {
  const used = new Set(rows.flatMap(({ cells }) => Object.keys(cells)));
  return FIELDS.filter(({ path }) => used.has(path));
}

/** Returns a name for a file that goes with another one. */
export function nameBeside(file: string, word: string, ending: string): string {
  return `${file.replace(/\.[^.]*$/, '') || 'guias'}-${word}.${ending}`;
}
