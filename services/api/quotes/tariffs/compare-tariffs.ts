import { LineReport, parseRows } from '#shared/commands/csv.ts';
import { changedCells, type Difference, differenceOf, type Table } from '#shared/loads/difference.ts';
import { formatPercent, formatPesos, toCentavos } from '../../platform/amounts.ts';
import { PARAMETERS } from './tariff.ts';
import { TARIFF_COLUMNS, type TariffFile, type TariffFolder } from './tariff-files.ts';
import type { TariffReport } from './tariff-report.ts';

/** How many columns, from the first, name a row. Examples are part of no price. */
const KEYS = {
  'parametros.csv': 1,
  'zonas.csv': 2,
  'rutas.csv': 2,
  'precios.csv': 5,
  'recargos.csv': 3,
  'areas.csv': 3,
  'contratos.csv': 1,
  'inhabiles.csv': 1,
} as const satisfies Record<Exclude<TariffFile, 'ejemplos.csv'>, number>;
type RowFile = keyof typeof KEYS;

type TariffRow = { line: number; cells: readonly string[] };
export type TariffDifferences = ReadonlyMap<RowFile, Difference<TariffRow>>;

/** Columns with the numbers that prices are made of, and how hundredths are written. */
const AMOUNTS: Readonly<Record<string, (hundredths: number) => string>> = {
  ...{ Precio: formatPesos, KgExtra: formatPesos, Importe: formatPesos, Minimo: formatPesos },
  ...{ Porcentaje: formatPercent, Descuento: formatPercent },
};

/**
 * Compares the rows of a tariff with those of the one before it.
 * @param from local date on which the tariff begins: holidays before it do not count.
 */
export function compareTariffs(before: TariffFolder, after: TariffFolder, from: string): TariffDifferences {
  const differences = (Object.keys(KEYS) as RowFile[]).map((file) => {
    const columns: readonly string[] = TARIFF_COLUMNS[file];
    const table: Table<TariffRow> = { name: file, columns, keys: KEYS[file], cells: ({ cells }) => cells };
    return [file, differenceOf(table, rowsOf(file, before, from), rowsOf(file, after, from))] as const;
  });
  return new Map(differences);
}

/** Warns of numbers that change by more than a third, which is probably a digit too many or too few. */
export function warnOfAmounts(differences: TariffDifferences, report: TariffReport): void {
  for (const [file, { table, changed }] of differences) {
    for (const change of changed) {
      for (const { column, before, after } of changedCells(table, change)) {
        const write = AMOUNTS[column];
        const [former, value] = [toCentavos(Number(before)), toCentavos(Number(after))];
        if (!write || Math.abs(value - former) * 3 <= former) continue;
        const reason = `cambia mas de un tercio: antes ${write(former)}`;
        report.warn(file, { line: change.after.line, column, value: write(value), reason });
      }
    }
  }
}

/** Returns the rows of a file, in which `91` and `91.00` are the same. A parameter that it lacks has its default. */
function rowsOf(file: RowFile, folder: TariffFolder, from: string): TariffRow[] {
  const content = folder.get(file)?.toString('utf8');
  if (content === undefined) return [];
  const columns: readonly string[] = TARIFF_COLUMNS[file];
  const rows = [...parseRows(content, columns, new LineReport(), [], 0)].map(({ line, cells }) => ({
    line,
    cells: columns.map((column) => withoutTrailingZeros(cells[column] ?? '')),
  }));
  if (file === 'parametros.csv') return withDefaults(rows);
  return file === 'inhabiles.csv' ? rows.filter(({ cells: [date = ''] }) => date >= from) : rows;
}

/** Adds the parameters that have defaults, each at the header. The one by another stands behind it in `PARAMETERS`. */
function withDefaults(rows: readonly TariffRow[]): TariffRow[] {
  const values = new Map(rows.map(({ line, cells: [name = '', value = ''] }) => [name, { line, value }]));
  for (const { name, cell, ...parameter } of Object.values(PARAMETERS)) {
    if (values.has(name) || !('byDefault' in parameter)) continue;
    const { byDefault } = parameter;
    const value =
      byDefault === 'vat'
        ? values.get(PARAMETERS.vat.name)?.value
        : (cell.write as (value: number | boolean) => string)(byDefault);
    values.set(name, { line: 1, value: value ?? '' });
  }
  return [...values].map(([name, { line, value }]) => ({ line, cells: [name, value] }));
}

function withoutTrailingZeros(cell: string): string {
  return /^\d+\.\d+$/.test(cell) ? cell.replace(/\.?0+$/, '') : cell;
}
