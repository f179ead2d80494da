import type { Values } from '../one/form.ts';
import { createStore } from '../ui/store.ts';
import { type CellProblem, checkedContent, refusals } from './checking.ts';
import type { Mapping } from './headings.ts';
import { Occurrences } from './request.ts';
import { type Row, readRow, type Sheet } from './rows.ts';
import { withAnswers } from './same-in-all.ts';

/** A row, and what is known of it. */
export type Order = Row & {
  /** The cells as the file has them, without what is the same in all rows. */
  own: Row['cells'];
  /** The cells that a person has written here. */
  corrected: Row['cells'];
  /** What the row says, to know whether it was checked so. */
  content: string;
  /** Cells that mean nothing, which no request needs to find. */
  refused: CellProblem[];
  /** What is offered in place of cells, by path. */
  proposals: ReadonlyMap<string, string>;
  /** The content that the service has checked, with what it found. */
  checked?: string;
  problems: CellProblem[];
  warnings: CellProblem[];
  /** A price, of this content. `none` says why there is none. */
  price?: { content: string; total?: number; quote?: string; none?: string };
  /** Whether it is to be created. */
  isChosen: boolean;
  /** The first row above that says the same, wholly or in its Referencia. */
  same?: { line: number; isWhole: boolean };
  /** The guides that the account has of this order: the last one, and the last that is not cancelled. */
  earlier?: { last?: string; live?: string };
  /** A row whose request has no answer is not changed any more: only the same request tells what became of it. */
  state: 'open' | 'sending' | 'unknown' | 'created';
  guide?: string;
  total?: number;
  /** Why its creation failed. */
  failure?: string;
};

/** A file, what its columns mean, and what is the same in all its rows. */
export type Source = { name: string; sheet: Sheet; mapping: Mapping; same: Values };

export type Work = {
  source: Source;
  /** In the order of the file. */
  orders: readonly Order[];
  /** Columns that the table shows: those of the file with a text in some row, and those that were written or added here. */
  columns: readonly string[];
  /** Whether corrections are not saved. */
  isChanged: boolean;
  occurrences: Occurrences;
};

/** What is worked at; it stays while another tab of the page is looked at. */
export const work = createStore<Work | undefined>(undefined);

/**
 * Begins with the rows of a file. Of the same file, what was corrected and chosen stays.
 *
 * @param answers what is put where a row says nothing.
 */
export function beginWork(source: Source, rows: readonly Row[], answers: Values): void {
  const current = work.get();
  const former = current?.source.sheet === source.sheet ? current : undefined;
  const byLine = new Map(former?.orders.map((order) => [order.line, order]));
  const orders = rows.map((row) => {
    const { failure: _, ...known } = byLine.get(row.line) ?? FRESH;
    const { cells } = withAnswers(row, answers);
    return orderOf({ ...row, own: row.cells, cells: { ...cells, ...known.corrected } }, known);
  });
  compare(orders);
  const written = [...rows.map(({ cells }) => cells), ...orders.map(({ corrected }) => corrected)];
  const columns = [...new Set(written.flatMap(Object.keys))];
  const isChanged = former?.isChanged ?? false;
  work.set({ source, columns, orders, isChanged, occurrences: new Occurrences() });
}

type Known = Omit<Order, keyof Row | 'own' | 'content' | 'refused' | 'proposals'>;
const FRESH: Known = { corrected: {}, problems: [], warnings: [], isChosen: true, state: 'open' };

function orderOf(row: Row & Pick<Order, 'own'>, known: Known): Order {
  const proposals = new Map<string, string>();
  for (const [path, { proposal }] of readRow(row.cells))
    if (proposal !== undefined) proposals.set(path, proposal);
  return { ...known, ...row, content: checkedContent(row), refused: refusals(row), proposals };
}

/**
 * Changes what is known of some orders.
 *
 * @param begun the `occurrences` of the work that was asked about: of another file, the same ids are other orders.
 */
export function know(changes: ReadonlyMap<number, Partial<Known>>, begun?: Occurrences): void {
  const current = work.get();
  if (!current || changes.size === 0 || (begun && begun !== current.occurrences)) return;
  const orders = [...current.orders];
  for (const [id, change] of changes) orders[id] = { ...(orders[id] as Order), ...change };
  work.set({ ...current, orders });
}

/** Writes cells of rows, as a person corrects them. A row that is sent stays as it is. */
export function correct(changes: ReadonlyMap<number, Readonly<Record<string, string>>>): void {
  const current = work.get();
  if (!current) return;
  const orders = [...current.orders];
  for (const [id, cells] of changes) {
    const order = orders[id] as Order;
    if (order.state !== 'open') continue;
    const { failure: _, ...rest } = { ...order, corrected: { ...order.corrected, ...cells } };
    orders[id] = orderOf({ ...rest, cells: { ...order.cells, ...cells } }, rest);
  }
  compare(orders);
  work.set({ ...current, orders, isChanged: true });
}

/** Finds rows that say the same. One that is wholly equal is not chosen until a person says so, or it is corrected. */
function compare(orders: Order[]): void {
  const [contents, references] = [new Map<string, number>(), new Map<string, number>()];
  for (const [i, order] of orders.entries()) {
    const { content, cells, line, refused, same: former, state } = order;
    const reference = cells.Referencia?.trim() ?? '';
    const equal = refused.length > 0 ? undefined : contents.get(content);
    const named = equal ?? references.get(reference);
    if (refused.length === 0 && equal === undefined) contents.set(content, line);
    if (reference !== '' && !references.has(reference)) references.set(reference, line);
    const isWhole = equal !== undefined;
    if (former?.line === named && (former?.isWhole ?? false) === isWhole) continue;
    const { same: _, ...rest } = order;
    orders[i] = {
      ...rest,
      ...(named !== undefined && { same: { line: named, isWhole } }),
      ...(state === 'open' && (former?.isWhole ?? false) !== isWhole && { isChosen: !isWhole }),
    };
  }
}

/** Shows a column. */
export function addColumn(path: string): void {
  const current = work.get();
  if (current && !current.columns.includes(path))
    work.set({ ...current, columns: [...current.columns, path] });
}

/** What is wrong with an order, as far as it is known for its present content. */
export function problemsOf({ refused, problems, checked, content }: Order): CellProblem[] {
  return checked === content ? [...refused, ...problems] : refused;
}

/** Whether an order can be created. */
export function isReady(order: Order): boolean {
  return order.checked === order.content && order.refused.length === 0 && order.problems.length === 0;
}

/** Whether it waits to be created. */
export function isWaiting(order: Order): boolean {
  return order.isChosen && (order.state === 'unknown' || (order.state === 'open' && isReady(order)));
}
