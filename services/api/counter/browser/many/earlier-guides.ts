import { SentGuide } from '#shared/guides/guide.ts';
import { ask } from '../api/ask.ts';
import type { Problem } from '../api/problem.ts';
import { may } from '../sent/may.ts';
import { checkOrders } from './check-orders.ts';
import { referenceOf } from './request.ts';
import { know, type Order, work } from './work.ts';

/** A guide as `GET /api/guias` lists it. */
type Listed = { SEND_GUIA: string; SEND_ESTATUS: string; Referencia?: string; DevolucionDe?: string };

const DAY_MS = 86_400_000;
/** How far back an order of the same number is looked for. */
const DAYS = 30;
/** The largest page, and how many are read before each order is looked for by itself. */
const PAGE = '500';
const MAX_PAGES = 20;
const LOOKUPS_AT_ONCE = 4;
/** In characters: no guide has a longer Referencia. */
const MAX_REFERENCE = (SentGuide.properties.Referencia as { maxLength?: number }).maxLength ?? Infinity;

/**
 * Reads the account's guides of the last 30 days, whoever created them. An order whose Referencia has one is not chosen any more.
 *
 * @returns how many are not chosen any more because of it, or why it is not known.
 */
export async function findEarlier(): Promise<{ found: number } | { problem: Problem }> {
  const { orders: all = [], occurrences: begun } = work.get() ?? {};
  const orders = all
    .filter(({ state }) => state === 'created' || state === 'open')
    .map((order) => ({ ...order, reference: referenceOf(order.cells) }))
    .filter(
      ({ state, reference, earlier }) =>
        state === 'created' || reference !== undefined || earlier?.live !== undefined,
    );
  if (orders.length === 0 || !may('guias.read')) return { found: 0 };
  const read = await readGuides(new Set(orders.flatMap(({ reference }) => reference ?? [])));
  if ('problem' in read) return read;
  const byReference = Map.groupBy(read.guides, ({ Referencia }) => Referencia);
  const cancelled = new Map(read.guides.filter(isCancelled).map((each) => [each.SEND_GUIA, each]));
  const changes = new Map<number, Partial<Order>>();
  for (const { id, state, guide, reference, earlier } of orders) {
    const own = cancelled.get((state === 'created' ? guide : earlier?.live) ?? '');
    if ((state === 'created' || reference === undefined) && !own) continue;
    // The newest comes first.
    const same = (reference !== undefined && byReference.get(reference)) || (own ? [own] : []);
    const last = same[0]?.SEND_GUIA;
    const live = same.find((each) => !isCancelled(each))?.SEND_GUIA;
    if (state === 'open' && last === earlier?.last && live === earlier?.live) continue;
    const isNew = state === 'created' || (live !== undefined && live !== earlier?.live);
    changes.set(id, {
      state: 'open',
      earlier: { ...(last !== undefined && { last }), ...(live !== undefined && { live }) },
      ...(isNew && { isChosen: false }),
    });
  }
  know(changes, begun);
  // One that is cancelled was not checked.
  if (changes.size > 0) void checkOrders();
  const found = [...changes.values()].filter(({ isChosen, earlier }) => isChosen === false && earlier?.live);
  return { found: found.length };
}

function isCancelled({ SEND_ESTATUS }: Listed): boolean {
  return SEND_ESTATUS === 'Cancelado';
}

type Read = { guides: Listed[] } | { problem: Problem };

async function readGuides(references: ReadonlySet<string>): Promise<Read> {
  const desde = new Date(Date.now() - DAYS * DAY_MS).toISOString().slice(0, 10);
  const guides: Listed[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const answer = await list({ desde, limite: PAGE, ...(cursor !== undefined && { cursor }) });
    if (!answer.ok) return answer;
    guides.push(...answer.data.filter(isOrder));
    cursor = (answer.body.siguiente as string | null) ?? undefined;
    if (cursor === undefined) return { guides };
  }
  // An account with many more guides than orders here.
  return lookUp(
    [...references].filter(({ length }) => length <= MAX_REFERENCE),
    desde,
  );
}

async function lookUp(references: string[], desde: string): Promise<Read> {
  const guides: Listed[] = [];
  let problem: Problem | undefined;
  const next = async (): Promise<void> => {
    const referencia = references.pop();
    if (referencia === undefined || problem) return;
    const answer = await list({ desde, referencia, limite: PAGE });
    if (answer.ok) guides.push(...answer.data.filter(isOrder));
    else problem = answer.problem;
    return next();
  };
  await Promise.all(Array.from({ length: LOOKUPS_AT_ONCE }, next));
  return problem ? { problem } : { guides };
}

function list(query: Record<string, string>) {
  return ask<Listed[]>({ method: 'GET', path: '/api/guias', query });
}

/** A return has the Referencia of the guide that it belongs to. */
function isOrder({ DevolucionDe }: Listed): boolean {
  return DevolucionDe === undefined;
}
