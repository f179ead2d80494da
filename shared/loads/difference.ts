import { aligned } from '#shared/commands/terminal.ts';

/** How rows of a file, or of what is stored, are compared and shown. */
export type Table<R> = {
  /** In words for the operator, such as `cobertura`. */
  name: string;
  columns: readonly string[];
  /** How many columns, from the first, name a row. */
  keys: number;
  /** Returns the cells of a row in the order of the columns. */
  cells(row: R): readonly string[];
};

/** What a load makes of the rows that are stored. `before`: how many these are. */
export type Difference<R, N extends R = R> = {
  table: Table<R>;
  before: number;
  added: N[];
  /** Rows of the same key with other cells. */
  changed: { before: R; after: N }[];
  removed: R[];
};
/** A difference whose rows only its own table reads. */
export type AnyDifference = Difference<unknown>;

/** Share of the rows that are stored, above which a load that takes them away or changes them is probably a mistake. */
const LARGE = 0.1;
/** Most rows of a kind that are shown. */
const MAX_SHOWN = 5;
/** Longest part of a cell that is shown, in characters. */
const MAX_CELL = 60;

/** Compares rows by their keys, of which each stands once. */
export function differenceOf<R, N extends R>(
  table: Table<R>,
  before: Iterable<R>,
  after: Iterable<N>,
): Difference<R, N> {
  const keyOf = (row: R) => table.cells(row).slice(0, table.keys).join('\n');
  const former = new Map([...before].map((row) => [keyOf(row), row]));
  const found: Difference<R, N> = { table, before: former.size, added: [], changed: [], removed: [] };
  for (const row of after) {
    const key = keyOf(row);
    const old = former.get(key);
    former.delete(key);
    if (old === undefined) found.added.push(row);
    else if (changedCells(table, { before: old, after: row }).length > 0)
      found.changed.push({ before: old, after: row });
  }
  found.removed = [...former.values()];
  return found;
}

/** Returns the columns in which a row differs, with its cells. */
export function changedCells<R>({ columns, cells }: Table<R>, { before, after }: { before: R; after: R }) {
  const [old, now] = [cells(before), cells(after)];
  return columns.flatMap((column, i) => {
    const cell = { column, before: old[i] ?? '', after: now[i] ?? '' };
    return cell.before === cell.after ? [] : [cell];
  });
}

/** Warns of a load that takes away or changes more than a tenth of the rows that are stored. */
export function warningsOf({ table, before, changed, removed }: AnyDifference): string[] {
  if (changed.length + removed.length <= before * LARGE) return [];
  return [
    `Aviso: de ${before} filas de ${table.name} se quitan ${removed.length} y cambian ${changed.length}, mas de una decima parte`,
  ];
}

/** Says which rows go, by their first keys, such as `Se quitan 7 de 90 sucursales: MEX01, ... y 2 mas`; nothing if none does. */
export function describeLoss<R>({ table, before, removed }: Difference<R>): string[] {
  if (removed.length === 0) return [];
  const first = removed.slice(0, MAX_SHOWN).map((row) => table.cells(row)[0]);
  const rest = removed.length - first.length;
  const more = rest > 0 ? ` y ${rest} mas` : '';
  return [`Se quitan ${removed.length} de ${before} ${table.name}: ${first.join(', ')}${more}`];
}

/** Returns the lines of a table with the rows that differ, the first ones of each kind; none if there are none. */
export function describeDifference<R>({ table, added, changed, removed }: Difference<R>): string[] {
  const { name, keys, cells } = table;
  const written = (row: R, from: number, to?: number) =>
    shortened(cells(row).slice(from, to).filter(Boolean).join(', '));
  const whole = (kind: string) => (row: R) => [`  ${kind}`, written(row, 0, keys), written(row, keys)];
  const rows = [
    ...firstOf(removed, 'bajas', whole('baja')),
    ...firstOf(changed, 'cambios', (change) => {
      const differs = changedCells(table, change).map(
        ({ column, before, after }) =>
          `${column}: ${shortened(before || '(vacio)')} -> ${shortened(after || '(vacio)')}`,
      );
      return ['  cambio', written(change.after, 0, keys), differs.join('; ')];
    }),
    ...firstOf(added, 'altas', whole('alta')),
  ];
  return rows.length === 0 ? [] : [name, aligned(rows)];
}

function firstOf<T>(rows: readonly T[], kind: string, describe: (row: T) => string[]): string[][] {
  const rest = rows.length - MAX_SHOWN;
  // The last column: a longer text widens no other.
  const more = rest > 0 ? [['', '', `y ${rest} ${kind} mas`]] : [];
  return [...rows.slice(0, MAX_SHOWN).map(describe), ...more];
}

function shortened(text: string): string {
  return text.length > MAX_CELL ? `${text.slice(0, MAX_CELL)}...` : text;
}
