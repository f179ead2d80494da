import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, vi } from 'vitest';
import { GuideStore } from '#services/api/guides/guide-store.ts';
import { type Answer, Client, type CreatedGuide, minimalGuide } from '#test/fixtures/client.ts';
import { keepFigures, long } from '../clients/under-load.ts';
import type { Part } from '../system/part.ts';
import { type FaultSystem, test as faultTest } from '../system/system.ts';

/** The most guides of a request (docs/contract.md "Guides"). */
const BATCH = 500;
/** Customers who create a guide each at the same time: their guides are one write. */
const CUSTOMERS = 24;
/** When a part is killed, as parts of the time that the creations usually take. */
const MOMENTS = Array.from({ length: long ? 20 : 3 }, (_, i, all = long ? 20 : 3) => (i + 0.5) / all);
/** What is promised, in ms: a creation that was cut is whole or gone so long after its service is back. */
const SETTLED = 60_000;

/** A request, by the content that its guides have; `answer` is none where the connection was cut. */
type Request = { content: string; count: number; key: string | undefined; answer: Answer | undefined };

/** Tests with what the fault tests of creations look at, past the services. */
export const test = faultTest
  .extend('guides', { scope: 'file' }, ({ system }) => new GuideStore(system.db))
  /** Returns the numbers of all guides by their content. */
  .extend('stored', { scope: 'file' }, ({ system }) => async () => {
    const documents = await system.db
      .collection<{ _id: string; guide: { Producto: { Contenido: string } } }>('guides')
      .find({}, { projection: { 'guide.Producto.Contenido': 1 } })
      .toArray();
    const byContent = Map.groupBy(documents, ({ guide }) => guide.Producto.Contenido);
    return new Map([...byContent].map(([content, guides]) => [content, guides.map(({ _id }) => _id)]));
  });

type Looks = { guides: GuideStore; stored: () => Promise<Map<string, string[]>> };

/** Kills a part at each moment while creations are under way, starts it again, and checks what is promised of each. */
export async function killAtEachMoment(part: Part, system: FaultSystem, looks: Looks): Promise<void> {
  const client = await Client.login(system.url);
  await createSome(client);
  const began = performance.now();
  await createSome(client);
  const usual = performance.now() - began;
  const requests: Request[] = [];
  for (const moment of MOMENTS) {
    const creations = createSome(client);
    await sleep(moment * usual);
    await part.kill();
    await part.start();
    const answered = await creations;
    await expectAllOrNone(answered, looks);
    requests.push(...answered);
  }
  const back = performance.now();
  await vi.waitFor(() => expectSettled(requests, looks), { timeout: SETTLED, interval: 500 });
  keepFigures({
    fault: `creations under way, a part killed ${MOMENTS.length} times`,
    ...tally(requests),
    settledMs: Math.round(performance.now() - back),
  });
  await repeatWithKey(client, requests, looks);
}

/** Sends a batch without a key, one with a key, and a guide for each of many customers, at once. */
function createSome(client: Client): Promise<Request[]> {
  const create = async (count: number, key?: string): Promise<Request> => {
    const content = randomUUID();
    const answer = await send(client, content, count, key);
    return { content, count, key, answer };
  };
  const customers = Array.from({ length: CUSTOMERS }, () => create(1));
  return Promise.all([create(BATCH), create(BATCH, randomUUID()), ...customers]);
}

function send(client: Client, content: string, count: number, key?: string): Promise<Answer | undefined> {
  const guide = { ...minimalGuide(), Producto: { Contenido: content } };
  const body = { TipoServicio: 'Domicilio', Guia: Array.from({ length: count }, () => guide) };
  const header = key === undefined ? {} : { 'idempotency-key': key };
  return client.post('/api/guias/crear', body, header).catch(() => undefined);
}

/** Expects that all guides of each request can be read, or none, and that its answer says which. */
async function expectAllOrNone(requests: readonly Request[], { guides, stored }: Looks): Promise<void> {
  const numbers = await stored();
  for (const { content, count, key, answer } of requests) {
    const found = await Promise.all((numbers.get(content) ?? []).map((number) => guides.find(number)));
    const readable = found.filter(Boolean).length;
    expect([0, count]).toContain(readable);
    if (answer?.status === 200) expect(readable).toBe(count);
    // With its key an earlier attempt may have stored them; without one nothing has.
    if (answer?.body.codigo === 'servicio_no_disponible' && key === undefined) expect(readable).toBe(0);
    if (answer?.status !== 200) expect([undefined, 503]).toContain(answer?.status);
  }
}

/** Expects that what cannot be read is not there any more either. */
async function expectSettled(requests: readonly Request[], looks: Looks): Promise<void> {
  const numbers = await looks.stored();
  for (const { content, count } of requests) expect([0, count]).toContain(numbers.get(content)?.length ?? 0);
  const all = [...numbers.values()].flat();
  const found = await Promise.all(all.map((number) => looks.guides.find(number)));
  expect(found.filter(Boolean)).toHaveLength(all.length);
}

/** Expects each request with a key to be answered when it is repeated, and its guides to exist once. */
async function repeatWithKey(client: Client, requests: readonly Request[], { stored }: Looks): Promise<void> {
  for (const { content, count, key, answer } of requests) {
    if (key === undefined) continue;
    const again = await send(client, content, count, key);
    expect(again?.status).toBe(200);
    const created = again?.body.data as CreatedGuide[];
    const numbers = created.map(({ SEND_GUIA }) => SEND_GUIA);
    expect(new Set((await stored()).get(content))).toEqual(new Set(numbers));
    if (answer?.status === 200) expect(again?.body).toEqual(answer.body);
  }
}

function tally(requests: readonly Request[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { answer } of requests) {
    const name = answer ? (answer.body.codigo ?? String(answer.status)) : 'cut';
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}
