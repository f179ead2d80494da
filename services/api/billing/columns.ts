import { toPesos } from '../platform/amounts.ts';
import type { FigureName, Figures } from './figures.ts';

/** The figures as customers and operators read them: each by its name on the wire and in CSV files. */
export const COLUMNS = [
  { head: 'Guias', figure: 'guides' },
  { head: 'Canceladas', figure: 'cancelled' },
  { head: 'Entregadas', figure: 'delivered' },
  { head: 'Etiquetas', figure: 'labels' },
  { head: 'Total', figure: 'total', isMoney: true },
  { head: 'TotalCanceladas', figure: 'cancelledTotal', isMoney: true },
  { head: 'Ajustes', figure: 'adjustments', isMoney: true },
  { head: 'SinPrecio', figure: 'unpriced' },
  { head: 'SinCotizar', figure: 'unquoted' },
  { head: 'PorCotizar', figure: 'unquotedTotal', isMoney: true },
  { head: 'SinTarifa', figure: 'withoutTariff' },
] as const satisfies readonly Column[];
type Column = { head: string; figure: FigureName; isMoney?: true };
export type Head = (typeof COLUMNS)[number]['head'];

/** Returns the figures in the order of the columns, money in pesos. */
export function cellsOf(figures: Figures): number[] {
  return COLUMNS.map((column) =>
    'isMoney' in column ? toPesos(figures[column.figure]) : figures[column.figure],
  );
}

/** Returns the figures by the names of the columns, money in pesos. */
export function figuresView(figures: Figures): Record<Head, number> {
  const cells = cellsOf(figures);
  return Object.fromEntries(COLUMNS.map(({ head }, i) => [head, cells[i]])) as Record<Head, number>;
}
