import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, vi } from 'vitest';
import { generateGuideNumbers } from '#services/api/guides/guide-number.ts';
import { idempotencyKey } from '#services/api/http/idempotency.ts';
import type { JournalEntry } from '#shared/guides/creation-model.ts';
import type { GuideDocument } from '#shared/guides/guide-model.ts';
import { newRecord } from '#test/bench/load/guides.ts';
import { type Answer, Client, type CreatedGuide, minimalGuide } from '#test/fixtures/client.ts';
import { keepFigures, long } from '../clients/under-load.ts';
import type { Part } from '../system/part.ts';
import type { FaultSystem } from '../system/system.ts';

/** Guides of a large request; the most is 500. */
const BATCH = long ? 500 : 100;
/** Customers who create a guide each at the same time: their guides are one write. */
const CUSTOMERS = long ? 24 : 8;
/** When a part is killed, as parts of the time that the creations usually take. */
const MOMENTS = long ? Array.from({ length: 20 }, (_, i) => (i + 0.5) / 20) : [0.25, 0.75];
/** What is promised, in ms: all guides of a creation are there so long after its service is back, if any is. */
const SETTLED = 60_000;

/** A request, by the content that its guides have. */
type Request = {
  content: string;
  count: number;
  key: string | undefined;
  /** `cut` where the connection was; `committed` where a crash has cut the request after its commit. */
  answer: Answer | 'cut' | 'committed';
};

/** Kills a part at each moment while creations are under way, starts it again, and checks what is promised of each. */
export async function killAtEachMoment(part: Part, system: FaultSystem): Promise<void> {
  const client = await Client.login(system.url);
  await createSome(client);
  const began = performance.now();
  await createSome(client);
  const usual = performance.now() - began;
  const requests: Request[] = [];
  for (const moment of MOMENTS) {
    requests.push(await commitWithTakenNumbers(system));
    const creations = createSome(client);
    await sleep(moment * usual);
    await part.kill();
    await part.start();
    const answered = await creations;
    await expectAnswersToHold(answered, system);
    requests.push(...answered);
  }
  const back = performance.now();
  await vi.waitFor(() => expectWhole(requests, system), { timeout: SETTLED, interval: 500 });
  keepFigures({
    fault: `creations under way, a part killed ${MOMENTS.length} times`,
    ...tally(requests),
    settledMs: Math.round(performance.now() - back),
  });
  await repeatWithKey(client, requests, system);
}

/** Sends a batch without a key, one with a key, and a guide for each of many customers, with and without, at once. */
function createSome(client: Client): Promise<Request[]> {
  const create = async (count: number, key?: string): Promise<Request> => {
    const content = randomUUID();
    const answer = await send(client, content, count, key);
    return { content, count, key, answer };
  };
  const customers = Array.from({ length: CUSTOMERS }, (_, i) => create(1, i % 4 ? undefined : randomUUID()));
  return Promise.all([create(BATCH), create(BATCH, randomUUID()), ...customers]);
}

function send(client: Client, content: string, count: number, key?: string): Promise<Answer | 'cut'> {
  const body = { TipoServicio: 'Domicilio', Guia: guidesOf(content, count) };
  const header = key === undefined ? {} : { 'idempotency-key': key };
  return client.post('/api/guias/crear', body, header).catch(() => 'cut' as const);
}

function guidesOf(content: string, count: number) {
  return Array.from({ length: count }, () => ({ ...minimalGuide(), Producto: { Contenido: content } }));
}

/** Leaves what a crash leaves after the commit of a batch, of which two numbers are those of guides that exist. */
async function commitWithTakenNumbers({ db }: FaultSystem): Promise<Request> {
  const [content, key, creation] = [randomUUID(), randomUUID(), randomUUID()];
  const guides = guidesOf(content, BATCH);
  const existing = await db.collection<GuideDocument>('guides').find().limit(2).toArray();
  const numbers = [...existing.map(({ _id }) => _id), ...generateGuideNumbers(BATCH - existing.length)];
  const records = guides.map((guide, i) => ({ ...newRecord(), creation, guide, _id: numbers[i] as string }));
  const { id, bodyHash } = await idempotencyKey('crear', 'demo', key, ['Domicilio', guides]);
  const openSince = new Date(Date.now() - 11_000);
  await db
    .collection<JournalEntry>('creations')
    .insertOne({ _id: id, creation, bodyHash, openSince, records });
  return { content, count: BATCH, key, answer: 'committed' };
}

/** Returns the numbers of all guides by their content. */
async function storedIn({ db }: FaultSystem): Promise<Map<string, string[]>> {
  const documents = await db
    .collection<GuideDocument>('guides')
    .find({}, { projection: { 'guide.Producto.Contenido': 1 } })
    .toArray();
  const byContent = Map.groupBy(documents, ({ guide }) => guide.Producto.Contenido);
  return new Map([...byContent].map(([content, guides]) => [content, guides.map(({ _id }) => _id)]));
}

/** Expects that what an answer says of its guides is so. */
async function expectAnswersToHold(requests: readonly Request[], system: FaultSystem): Promise<void> {
  const stored = await storedIn(system);
  for (const { content, count, key, answer } of requests) {
    if (typeof answer === 'string') continue;
    const found = stored.get(content)?.length ?? 0;
    expect([200, 503]).toContain(answer.status);
    if (answer.status === 200) expect(found).toBe(count);
    // With its key an earlier attempt may have committed them; without one nothing has.
    if (answer.body.codigo === 'servicio_no_disponible' && key === undefined) expect(found).toBe(0);
  }
}

/** Expects all guides of each creation, or none, and the journal to have no more to do. */
async function expectWhole(requests: readonly Request[], system: FaultSystem): Promise<void> {
  const stored = await storedIn(system);
  for (const { content, count, answer } of requests) {
    expect(answer === 'committed' ? [count] : [0, count]).toContain(stored.get(content)?.length ?? 0);
  }
  await expectAnswersToHold(requests, system);
  const open = { expiresAt: { $exists: false } };
  expect(await system.db.collection('creations').countDocuments(open)).toBe(0);
}

/** Expects each request with a key to be answered when it is repeated, and its guides to exist once. */
async function repeatWithKey(
  client: Client,
  requests: readonly Request[],
  system: FaultSystem,
): Promise<void> {
  const repeated = new Map<string, string[]>();
  for (const { content, count, key, answer } of requests) {
    if (key === undefined) continue;
    const again = (await send(client, content, count, key)) as Answer;
    expect(again.status).toBe(200);
    const created = again.body.data as CreatedGuide[];
    repeated.set(
      content,
      created.map(({ SEND_GUIA }) => SEND_GUIA),
    );
    if (typeof answer !== 'string' && answer.status === 200) expect(again.body).toEqual(answer.body);
  }
  const stored = await storedIn(system);
  for (const [content, numbers] of repeated) {
    expect(stored.get(content)?.toSorted()).toEqual(numbers.toSorted());
  }
}

function tally(requests: readonly Request[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { answer } of requests) {
    const name = typeof answer === 'string' ? answer : (answer.body.codigo ?? String(answer.status));
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}
