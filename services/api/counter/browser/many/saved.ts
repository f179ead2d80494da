import { FIELDS, MEASURES, SERVICE, SIDES, WEIGHT } from './fields.ts';
import { recognise } from './headings.ts';
import { isInGrams, type Row } from './rows.ts';
import type { Table } from './tables.ts';
import type { Source } from './work.ts';

/** What became of a row. */
export type Outcome = { guide?: string; total?: number; problem?: string };

type Columns = { headings: readonly string[]; mapping: Source['mapping'] };
type Column = { heading: string; textOf: (row: Row) => string };

/** Returns the rows as their file had them, corrected, and after them what was said here. */
export function correctedTable(rows: readonly Row[], of: Columns): Table {
  const columns = [...ownColumns(of), ...addedColumns(rows, of)];
  return [
    columns.map(({ heading }) => heading),
    ...rows.map((row) => columns.map(({ textOf }) => textOf(row))),
  ];
}

/** A heading that would not be recognised as it was mapped gets the name of its field. */
function ownColumns({ headings, mapping }: Columns): Column[] {
  const recognised = recognise(headings);
  let others = 0;
  return headings.map((heading, i) => {
    const path = mapping[i];
    if (path === undefined) {
      const at = others++;
      return { heading, textOf: (row) => row.others[at] ?? '' };
    }
    // What was corrected is in kilograms.
    const isKept = recognised[i] === path && !(path === WEIGHT && isInGrams(heading));
    const isFirst = mapping.indexOf(path) === i;
    return {
      heading: isKept ? heading : labelOf(path),
      textOf: ({ cells }) => (isFirst ? textAt(cells, path) : ''),
    };
  });
}

function addedColumns(rows: readonly Row[], { mapping }: Columns): Column[] {
  const own = new Set(mapping.includes(MEASURES.path) ? [...mapping, ...SIDES] : mapping);
  return FIELDS.filter(({ path }) => !own.has(path) && rows.some(({ cells }) => cells[path])).map(
    ({ path, label }) => ({ heading: label, textOf: ({ cells }) => textAt(cells, path) }),
  );
}

function textAt(cells: Row['cells'], path: string): string {
  if (path !== MEASURES.path) return cells[path] ?? '';
  return SIDES.flatMap((side) => cells[side] || []).join(' x ');
}

function labelOf(path: string): string {
  return [...FIELDS, MEASURES].find((each) => each.path === path)?.label ?? path;
}

/** Returns the rows with the number of each guide, or why there is none. */
export function resultTable(rows: readonly (Row & { outcome: Outcome })[], of: Columns): Table {
  const [headings = [], ...bodies] = correctedTable(rows, of);
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

/** Returns a name for a file that goes with another one. */
export function nameBeside(file: string, word: string, ending: string): string {
  return `${file.replace(/\.[^.]*$/, '') || 'guias'}-${word}.${ending}`;
}
