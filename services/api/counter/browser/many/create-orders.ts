import { ask } from '../api/ask.ts';
import { keyOf } from '../api/key-of.ts';
import type { Problem } from '../api/problem.ts';
import { session } from '../api/session.ts';
import { forget, keep, readAllKept } from '../kept/kept.ts';
import { may } from '../sent/may.ts';
import { createStore } from '../ui/store.ts';
import { checkOrders } from './check-orders.ts';
import { problemsByRow } from './checking.ts';
import { bodyOf, contentOf, referenceOf } from './request.ts';
import { isWaiting, know, type Order, work } from './work.ts';

/** How far the creation is; undefined before it. One that is stopped runs until all that is sent is answered. */
export const creating = createStore<
  { isRunning: boolean; isStopped?: true; done: number; total: number; problem?: Problem } | undefined
>(undefined);

/** Requests at the same time. */
const AT_ONCE = 6;
const DAY_MS = 86_400_000;
/** How long the browser remembers what it has created, in ms: as long as the account's guides are looked through. */
const KEPT_MS = 30 * DAY_MS;
/** How long the service knows a key (docs/contract.md "Guides"), in ms. */
const KEY_MS = 7 * DAY_MS;
/** Stands for the number of a guide whose request had no answer. */
const UNANSWERED = 'quizá la que quedó sin respuesta';
/** After these nobody knows whether the guide exists, and the same request tells it. */
const UNKNOWN = ['sin_conexion', 'resultado_desconocido', 'cancelado'];

/** Creates what is chosen, until all is done or somebody stops it. One row is one request. */
export async function createOrders(): Promise<void> {
  if (creating.get()?.isRunning) return;
  const ids =
    work
      .get()
      ?.orders.filter(isWaiting)
      .map(({ id }) => id) ?? [];
  creating.set({ isRunning: true, done: 0, total: ids.length });
  const next = async (): Promise<void> => {
    const id = creating.get()?.isStopped ? undefined : ids.shift();
    const order = id === undefined ? undefined : work.get()?.orders[id];
    if (!order) return;
    // It may have been corrected, or left out, since the beginning.
    const sent = isWaiting(order) ? 1 : 0;
    const problem = sent ? await createOne(order) : undefined;
    const { done, total, ...rest } = creating.get() ?? { isRunning: false, done: 0, total: 0 };
    creating.set({
      ...rest,
      done: done + sent,
      total: total - 1 + sent,
      ...(problem && { isStopped: true, problem }),
    });
    return next();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, next));
  const end = creating.get();
  if (end) creating.set({ ...end, isRunning: false });
  // A quote that has ended meanwhile is asked for again.
  void checkOrders();
}

/** Lets what is sent be answered, and sends no more. */
export function stopCreating(): void {
  const now = creating.get();
  if (now) creating.set({ ...now, isStopped: true });
}

type Created = { SEND_GUIA: string; SEND_TOTAL: number };

/** @returns what stops all others too. */
async function createOne(order: Order): Promise<Problem | undefined> {
  const { id, cells, price } = order;
  const begun = work.get()?.occurrences;
  const body = bodyOf(cells);
  const content = contentOf(body);
  const [key, row] = [await keyFor(order), await rowOf(order)];
  if (price?.content === order.content && price.quote !== undefined) body.Guia[0].Cotizacion = price.quote;
  const username = session.get()?.username ?? '';
  know(new Map([[id, { state: 'sending' }]]), begun);
  // A tab that dies now leaves a row whose guide only the same request finds.
  await keep(username, 'created', { at: Date.now(), row }, key);
  const answer = await ask<Created[]>({ method: 'POST', path: '/api/guias/crear', body, key });
  if (answer.ok) {
    const [{ SEND_GUIA: guide, SEND_TOTAL: total } = { SEND_GUIA: '', SEND_TOTAL: 0 }] = answer.data;
    await keep(username, 'created', { guide, at: Date.now(), row }, key);
    know(new Map([[id, { state: 'created', guide, ...(total > 0 && { total }) }]]), begun);
    return undefined;
  }
  const { problem, status } = answer;
  const { codigo, message } = problem;
  if (UNKNOWN.includes(codigo) || status >= 500) {
    know(new Map([[id, { state: 'unknown', failure: message }]]), begun);
    return codigo === 'resultado_desconocido' ? undefined : problem;
  }
  // No guide exists of this request, and the row may be corrected.
  begun?.release(id, content);
  await forget(username, 'created', key);
  const isOfPrice = codigo.startsWith('cotizacion_');
  const problems = isOfPrice
    ? []
    : (problemsByRow({ rows: [order], body }, problem.errors ?? []).get(id) ?? []);
  know(
    new Map([
      [id, { state: 'open', failure: message, problems, ...(isOfPrice && { price: { content: '' } }) }],
    ]),
    begun,
  );
  return status === 400 || status === 409 ? undefined : problem;
}

/**
 * Names the request of a row: by the service, what is sent, how many equal rows come before it, and the guide after which one more is
 * wanted. So a row that is added, sorted, corrected or left out doubles no other.
 */
function keyFor({ id, cells, earlier }: Pick<Order, 'id' | 'cells' | 'earlier'>): Promise<string> {
  const content = contentOf(bodyOf(cells));
  const occurrence = work.get()?.occurrences.of(id, content) ?? 0;
  return keyOf(location.origin, content, occurrence, earlier?.last);
}

/** Names what the file says of a row, whatever is the same in all rows, or corrected. */
function rowOf({ own }: Order): Promise<string> {
  return keyOf(location.origin, contentOf(bodyOf(own)));
}

/** Finds what this browser has created of a file before, so that it is not sent again, and its labels are here. */
export async function recallCreated(): Promise<void> {
  const username = session.get()?.username ?? '';
  const kept = await readAllKept(username, 'created');
  for (const [key, { at }] of kept) {
    if (Date.now() - at <= KEPT_MS) continue;
    kept.delete(key);
    void forget(username, 'created', key);
  }
  if (kept.size === 0) return;
  const changes = new Map<number, Partial<Order>>();
  const byAge = [...kept.values()].sort((one, other) => one.at - other.at);
  const byRow = new Map(byAge.map(({ row, guide = UNANSWERED }) => [row, guide]));
  const { orders = [], occurrences: begun } = work.get() ?? {};
  for (const order of orders) {
    const { id, cells } = order;
    let { earlier } = order;
    let record = kept.get(await keyFor(order));
    // One was cancelled, and another made after it.
    while (record?.guide !== undefined) {
      const after = { last: record.guide };
      const next = kept.get(await keyFor({ id, cells, earlier: after }));
      changes.set(id, { state: 'created', guide: record.guide });
      [record, earlier] = [next, after];
    }
    if (record && Date.now() - record.at < KEY_MS)
      changes.set(id, { state: 'unknown', isChosen: true, ...(earlier && { earlier }) });
    // Other orders are found among the account's guides.
    const isFound = changes.has(id) || (referenceOf(cells) !== undefined && may('guias.read'));
    const live = isFound ? undefined : byRow.get(await rowOf(order));
    if (live !== undefined && live !== earlier?.live && live !== earlier?.last)
      changes.set(id, { isChosen: false, earlier: { ...earlier, live } });
  }
  // A row counts among equal ones once it is sent.
  for (const { id, cells } of orders) {
    if (changes.get(id)?.state === undefined) begun?.release(id, contentOf(bodyOf(cells)));
  }
  know(changes, begun);
}
