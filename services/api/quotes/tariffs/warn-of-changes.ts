import { formatPercent, formatPesos } from '../../platform/amounts.ts';
import type { PostalRange } from './postal-ranges.ts';
import {
  type Break,
  type Contract,
  PARAMETERS,
  type Parameters,
  priceName,
  SURCHARGED_MEASURES,
  type Surcharge,
  type Tariff,
  type TariffRoute,
} from './tariff.ts';
import type { TARIFF_COLUMNS, TariffFile } from './tariff-files.ts';
import type { TariffReport } from './tariff-report.ts';

/** Most missing rows that are named one by one if they are more than half of a file. */
const MAX_GONE = 3;

/** How the cell of a row is compared with the one before: a number may change by a third, a word not at all. */
type Comparison<R> =
  | 'names the row'
  | 'is part of no price'
  | { pesos: (row: R) => number }
  | { percent: (row: R) => number }
  | { word: (row: R) => string | number };

type Lined = { line: number };
/** A file whose rows are compared; `C` are its columns, so that a new one cannot be forgotten. */
type ComparedFile<C extends string> = {
  columns: Record<C, unknown>;
  warn: (file: TariffFile, tariff: Tariff, inForce: Tariff, from: string, report: TariffReport) => void;
};

/** @param rowsOf returns rows by what names them in reports. */
function compared<C extends string, R extends Lined>(
  rowsOf: (tariff: Tariff, from: string) => [name: string, row: R][],
  columns: Record<C, Comparison<R>>,
): ComparedFile<C> {
  return {
    columns,
    warn(file, tariff, inForce, from, report) {
      const rows = new Map(rowsOf(tariff, from));
      const before = rowsOf(inForce, from);
      const gone = before.filter(([name]) => !rows.has(name));
      warnOfGone(file, gone, { before: before.length, left: rows.size }, report);
      for (const [name, former] of before) {
        const row = rows.get(name);
        if (row) warnOfCells(file, columns, former, row, report);
      }
    },
  };
}

/** All files but those without rows of a price, and the parameters, of which each is compared below. */
type RowFile = Exclude<TariffFile, 'ejemplos.csv' | 'parametros.csv'>;
const FILES: { [F in RowFile]: ComparedFile<(typeof TARIFF_COLUMNS)[F][number]> } = {
  'zonas.csv': compared(({ groups }) => groups.ranges.map(named(rangeName)), {
    Desde: 'names the row',
    Hasta: 'names the row',
    Grupo: 'names the row',
  }),
  'rutas.csv': compared(
    ({ routes }) => [...routes.values()].map(named(({ from, to }: TariffRoute) => `${from} a ${to}`)),
    {
      Origen: 'names the row',
      Destino: 'names the row',
      Zona: { word: ({ zone }) => zone },
      DiasMin: { word: ({ minDays }) => minDays },
      DiasMax: { word: ({ maxDays }) => maxDays },
    },
  ),
  'precios.csv': compared(
    ({ prices }) =>
      [...prices.values()].flatMap((row) =>
        row.breaks.map(named((each: Break) => priceName(row, each.upToGrams))),
      ),
    {
      Lista: 'names the row',
      TipoServicio: 'names the row',
      TipoEnvio: 'names the row',
      Zona: 'names the row',
      HastaKg: 'names the row',
      Precio: { pesos: ({ price }) => price },
      KgExtra: { pesos: ({ extra = 0 }) => extra },
    },
  ),
  'recargos.csv': compared(({ surcharges }) => surcharges.map(named(surchargeName)), {
    Concepto: 'names the row',
    Aplica: 'names the row',
    Mayor: 'names the row',
    Importe: { pesos: ({ amount }) => amount },
    Porcentaje: { percent: ({ percentage }) => percentage },
    De: { word: ({ base }) => base },
    Minimo: { pesos: ({ minimum }) => minimum },
    Por: { word: ({ perPackage }) => (perPackage ? 'paquete' : 'guia') },
    Dias: { word: ({ days }) => days },
  }),
  'areas.csv': compared(
    ({ areas }) => [...areas.values()].flatMap(({ ranges }) => ranges.map(named(rangeName))),
    { Area: 'names the row', Desde: 'names the row', Hasta: 'names the row' },
  ),
  'contratos.csv': compared(({ contracts }): [string, Contract][] => [...contracts], {
    Cuenta: 'names the row',
    Lista: { word: ({ list }) => list },
    Descuento: { percent: ({ discount }) => discount },
  }),
  // Those of the past may go.
  'inhabiles.csv': compared(
    ({ holidays }, from) =>
      [...holidays].flatMap(([date, line]): [string, Lined][] => (date < from ? [] : [[date, { line }]])),
    { Fecha: 'names the row', Motivo: 'is part of no price' },
  ),
};

/**
 * Warns of what a tariff changes that is probably a mistake: rows that the tariff in force has and this one lacks, numbers
 * that differ by more than a third, and words and parameters that differ.
 *
 * @param from local date on which the tariff begins; holidays before it may go.
 */
export function warnOfChanges(tariff: Tariff, inForce: Tariff, from: string, report: TariffReport): void {
  for (const parameter of Object.keys(PARAMETERS) as (keyof Parameters)[]) {
    const [value, before] = [tariff.parameters[parameter], inForce.parameters[parameter]];
    if (value === before) continue;
    // Each is part of every price or every date, so any change is told.
    const { name: column, cell } = PARAMETERS[parameter];
    const write = cell.write as (value: unknown) => string;
    report.warn('parametros.csv', { column, value: write(value), reason: `antes ${write(before)}` });
  }
  for (const [file, { warn }] of Object.entries(FILES)) {
    warn(file as RowFile, tariff, inForce, from, report);
  }
}

function warnOfGone(
  file: TariffFile,
  gone: readonly [string, Lined][],
  { before, left }: { before: number; left: number },
  report: TariffReport,
): void {
  if (gone.length > 0 && left === 0) {
    report.warn(file, { reason: `queda sin filas: faltan las ${before} de la version en vigor` });
    return;
  }
  if (gone.length * 2 > before && gone.length > MAX_GONE) {
    const reason = `faltan ${gone.length} filas de ${before}: ¿puso solo las que cambian? Cada archivo va completo`;
    report.warn(file, { reason });
    return;
  }
  for (const [value, { line }] of gone) {
    report.warn(file, { value, reason: `falta esta fila, la linea ${line} de la version en vigor` });
  }
}

function warnOfCells<R extends Lined>(
  file: TariffFile,
  columns: Record<string, Comparison<R>>,
  before: R,
  row: R,
  report: TariffReport,
): void {
  for (const [column, comparison] of Object.entries(columns)) {
    if (typeof comparison === 'string') continue;
    const { line } = row;
    if ('word' in comparison) {
      const [value, former] = [`${comparison.word(row)}`, `${comparison.word(before)}`];
      if (value !== former) report.warn(file, { line, column, value, reason: `antes ${former}` });
      continue;
    }
    const [number, write] =
      'pesos' in comparison ? [comparison.pesos, formatPesos] : [comparison.percent, formatPercent];
    const [value, former] = [number(row), number(before)];
    if (Math.abs(value - former) * 3 <= former) continue;
    const reason = `cambia mas de un tercio: antes ${write(former)}`;
    report.warn(file, { line, column, value: write(value), reason });
  }
}

function named<R>(nameOf: (row: R) => string): (row: R) => [name: string, row: R] {
  return (row) => [nameOf(row), row];
}

function rangeName({ from, to, name }: PostalRange): string {
  return `${from}-${to} ${name}`;
}

/** Writes when a surcharge applies as the file has it. */
function surchargeName({ name, applies }: Surcharge): string {
  if (applies === 'siempre') return name;
  if ('area' in applies) return `${name}, area:${applies.area}`;
  const { measure, above } = applies;
  return `${name}, ${measure} mayor que ${SURCHARGED_MEASURES[measure].cell.write(above)}`;
}
