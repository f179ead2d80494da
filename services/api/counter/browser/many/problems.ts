import type { CellProblem } from './checking.ts';
import type { Field } from './fields.ts';
import { type Order, problemsOf } from './work.ts';

/** A cell, by its row and the path of its field. */
export type Place = { id: number; path: string };

/** Whether an order cannot be created as it is. */
export function isWrong(order: Order): boolean {
  return order.state === 'open' && (problemsOf(order).length > 0 || order.failure !== undefined);
}

/** Returns in how many rows each field has a problem; '' stands for what is about a whole row. */
export function countProblems(orders: readonly Order[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const order of orders.filter(isWrong))
    for (const path of new Set(pathsOf(order))) counts.set(path, (counts.get(path) ?? 0) + 1);
  return counts;
}

/** Returns where the next problem is, from a cell on, and from the first again after the last. @param path looks in that column alone. */
export function nextProblem(
  orders: readonly Order[],
  fields: readonly Field[],
  from: Place | undefined,
  path?: string,
): Place | undefined {
  const start = orders.findIndex(({ id }) => id === from?.id);
  const column = fields.findIndex((field) => field.path === from?.path);
  const around = start < 0 ? orders : [...orders.slice(start), ...orders.slice(0, start + 1)];
  for (const [i, order] of around.entries()) {
    if (!isWrong(order)) continue;
    const paths = new Set(pathsOf(order).filter((each) => path === undefined || each === path));
    // What is about the whole row is told at its first cell.
    const first = fields[0]?.path;
    if (paths.delete('') && first !== undefined) paths.add(first);
    const isStart = start >= 0 && i === 0;
    const found = fields.find((field, at) => paths.has(field.path) && (!isStart || at > column));
    if (found) return { id: order.id, path: found.path };
  }
  return undefined;
}

function pathsOf(order: Order): string[] {
  const problems = problemsOf(order);
  return problems.length === 0 ? [''] : problems.map(({ path = '' }) => path);
}

/** What may be wrong with an order, as far as it is known for its present content. */
export function warningsOf({ warnings, checked, content, same }: Order): CellProblem[] {
  const ofFile =
    same && !same.isWhole ? [{ path: 'Referencia', message: `La misma que en la fila ${same.line}` }] : [];
  return checked === content ? [...ofFile, ...warnings] : ofFile;
}

/** What is to be said beside a cell. */
export type Notes = { problems: readonly CellProblem[]; warnings: readonly CellProblem[] };

export function notesOn(order: Order, path: string): Notes {
  if (order.state === 'created') return { problems: [], warnings: [] };
  const isHere = (each: CellProblem) => each.path === path;
  return {
    problems: problemsOf(order).filter(isHere),
    warnings: warningsOf(order).filter(isHere),
  };
}
