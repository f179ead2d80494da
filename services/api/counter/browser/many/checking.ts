import type { Detail } from '../api/problem.ts';
import { fieldAt } from './fields.ts';
import { type Body, bodyOf, contentOf } from './request.ts';
import { type Row, readRow } from './rows.ts';

/** What is wrong with a cell, or, without a `path`, with a row. */
export type CellProblem = { path?: string; message: string; codigo?: string };

/** Rows that one request checks: those of one service. */
export type Batch = {
  body: { TipoServicio: unknown; Guia: Record<string, unknown>[] };
  rows: readonly Row[];
};

/** Most rows of one request. */
const MAX_BATCH = 500;

/** Puts rows into requests, each of rows of one service. */
export function batchesOf(rows: readonly Row[], most = MAX_BATCH): Batch[] {
  const byService = new Map<unknown, { row: Row; guide: Body['Guia'][0] }[]>();
  for (const row of rows) {
    const { TipoServicio, Guia } = bodyOf(row.cells);
    const same = byService.get(TipoServicio) ?? [];
    byService.set(TipoServicio, same);
    same.push({ row, guide: Guia[0] });
  }
  return [...byService].flatMap(([TipoServicio, entries]) =>
    Array.from({ length: Math.ceil(entries.length / most) }, (_, i) => {
      const some = entries.slice(i * most, (i + 1) * most);
      return {
        rows: some.map(({ row }) => row),
        body: { TipoServicio, Guia: some.map(({ guide }) => guide) },
      };
    }),
  );
}

/** Tells whether a row says something else than when it was checked, also where it cannot be read. */
export function checkedContent(row: Row): string {
  return JSON.stringify([contentOf(bodyOf(row.cells)), refusals(row)]);
}

/** Returns what no request needs to find: cells that mean nothing. */
export function refusals({ cells }: Row): CellProblem[] {
  return [...readRow(cells)].flatMap(([path, { refusal }]) =>
    refusal === undefined ? [] : [{ path, message: refusal }],
  );
}

/** Puts what an answer says of guides to the rows they came from. One without a guide is about all of them. */
export function problemsByRow({ rows }: Batch, details: readonly Detail[]): Map<number, CellProblem[]> {
  const problems = new Map<number, CellProblem[]>();
  for (const { indice, campo, codigo, message, regla } of details) {
    const named = indice === undefined ? rows : rows.slice(indice, indice + 1);
    for (const row of named) {
      const path = campo === undefined ? undefined : pathOf(campo);
      const text = regla === undefined ? message : `${message}: ${regla}`;
      const known = problems.get(row.id) ?? [];
      // The cell was left out because it means nothing, which says more.
      if (path !== undefined && refusals(row).some((refusal) => refusal.path === path)) continue;
      problems.set(row.id, [...known, { message: text, codigo, ...(path !== undefined && { path }) }]);
    }
  }
  return problems;
}

/** The API names a place in a list too: `Cobro.Medios.0`. What is no cell, such as the origin, is about the row. */
function pathOf(campo: string): string | undefined {
  return fieldAt(campo.replace(/\.\d+$/, ''))?.path;
}
