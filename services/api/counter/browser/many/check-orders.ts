import { ask } from '../api/ask.ts';
import type { Detail, Problem } from '../api/problem.ts';
import { may } from '../sent/may.ts';
import { createStore } from '../ui/store.ts';
import { type Batch, batchesOf, problemsByRow } from './checking.ts';
import type { Occurrences } from './request.ts';
import { know, type Order, work } from './work.ts';

/** How far the service has checked and priced; a problem stops it. */
export const checking = createStore<{ isRunning: boolean; problem?: Problem }>({ isRunning: false });

/** Most problems that an answer names (docs/contract.md "Guides"): more rows may have some. */
const MAX_NAMED = 500;
/** Some accounts need it of each guide, and a row gets it before it is created. */
const QUOTE = 'Cotizacion';
/** What a price needs. */
const MEASURES = ['Producto.Peso', 'Producto.Largo', 'Producto.Alto', 'Producto.Ancho'];
/** Rows that are priced at once. */
const PRICED_AT_ONCE = 200;

/** Checks and prices what has changed since it was checked, until nothing is left. */
export async function checkOrders(): Promise<void> {
  if (checking.get().isRunning) return;
  checking.set({ isRunning: true });
  const begun = work.get()?.occurrences;
  let problem: Problem | undefined;
  while (problem === undefined && work.get()?.occurrences === begun) {
    const unchecked = open().filter(({ checked, content }) => checked !== content);
    const [batch] = batchesOf(unchecked);
    if (batch) problem = await checkBatch(batch, begun);
    else {
      const [unpriced] = batchesOf(may('guias.quote') ? open().filter(lacksPrice) : [], PRICED_AT_ONCE);
      if (!unpriced) break;
      problem = await priceBatch(unpriced, begun);
    }
  }
  checking.set({ isRunning: false, ...(problem && { problem }) });
  // Another file was chosen meanwhile.
  if (problem === undefined && work.get()?.occurrences !== begun) await checkOrders();
}

function open(): Order[] {
  return work.get()?.orders.filter(({ state }) => state === 'open') ?? [];
}

function lacksPrice({ price, content, refused, problems, cells }: Order): boolean {
  const isMeasured = MEASURES.every((path) => cells[path]);
  return isMeasured && price?.content !== content && refused.length === 0 && problems.length === 0;
}

async function checkBatch(batch: Batch, begun: Occurrences | undefined): Promise<Problem | undefined> {
  const answer = await ask<unknown[]>({ method: 'POST', path: '/api/guias/validar', body: batch.body });
  if (answer.ok) {
    found(batch, batch.rows, [], answer.advertencias, begun);
    return undefined;
  }
  const { errors = [], advertencias = [] } = answer.problem;
  if (errors.length === 0) return answer.problem;
  const named = new Set(errors.map(({ indice }) => indice));
  const isAll = errors.length < MAX_NAMED || named.has(undefined);
  const others = errors.filter(({ campo }) => campo !== QUOTE);
  found(batch, isAll ? batch.rows : batch.rows.filter((_, i) => named.has(i)), others, advertencias, begun);
  return undefined;
}

/** @param rows of which all is known now. */
function found(
  batch: Batch,
  rows: Batch['rows'],
  errors: readonly Detail[],
  warned: readonly Detail[],
  begun: Occurrences | undefined,
): void {
  const [problems, warnings] = [problemsByRow(batch, errors), problemsByRow(batch, warned)];
  know(
    new Map(
      (rows as readonly Order[]).map(({ id, content }) => [
        id,
        { checked: content, problems: problems.get(id) ?? [], warnings: warnings.get(id) ?? [] },
      ]),
    ),
    begun,
  );
}

type Quoted = { indice: number; Opciones: { SEND_TOTAL: number; Cotizacion: string }[] };

async function priceBatch(batch: Batch, begun: Occurrences | undefined): Promise<Problem | undefined> {
  const rows = batch.rows as readonly Order[];
  const answer = await ask<Quoted[]>({ method: 'POST', path: '/api/guias/cotizar', body: batch.body });
  if (answer.ok) {
    const prices = answer.data.map(({ Opciones: [option] }, i) => {
      const { id, content } = rows[i] as Order;
      return [
        id,
        { price: { content, ...(option && { total: option.SEND_TOTAL, quote: option.Cotizacion }) } },
      ] as const;
    });
    know(new Map(prices), begun);
    return undefined;
  }
  const { errors = [], message } = answer.problem;
  // What has no price is created without; the rest is asked for again.
  const named = new Map(errors.map((error) => [error.indice, error.message]));
  const without = rows.flatMap(({ id, content }, i) => {
    const none = named.get(i) ?? (errors.length === 0 || named.has(undefined) ? message : undefined);
    return none === undefined ? [] : [[id, { price: { content, none } }] as const];
  });
  if (answer.status === 0 || answer.status >= 500) return answer.problem;
  know(new Map(without), begun);
  return undefined;
}
