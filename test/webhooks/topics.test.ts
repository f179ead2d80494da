import { expect } from 'vitest';
import type { FeedType } from '#shared/guides/event-types.ts';
import { NewsLog } from '#shared/webhooks/news-log.ts';
import {
  type Answering,
  eventIds,
  type Received,
  type Receiver,
  refusing,
  taking,
} from '#test/fixtures/receiver.ts';
import { test as webhooksTest } from '#test/fixtures/webhooks.ts';

/** Each topic has an order of its own: one whose message is not taken holds up neither events nor another topic. */

const BY = { username: 'tienda' };
const DAY = 86_400_000;

const test = webhooksTest
  .extend('running', { scope: 'file', auto: true }, ({ webhooks }) => webhooks)
  /** Has the customer's webhook ask for two topics, and for these events. */
  .extend('topics', ({ customer, store }) => (types: 'all' | FeedType[] = 'all') => {
    const topics = { recolecciones: 0, liquidaciones: 0 };
    return store.change(customer.account, customer.id, { types, topics }, BY);
  })
  .extend('tell', ({ customer, store, stores }) => async (topic: string, entry: object) => {
    const log = new NewsLog(stores.mongo);
    await log.append(topic, customer.account, 'Lista', [{ ...entry }], AbortSignal.timeout(10_000));
    await store.wake(customer.account, 0);
  });
const typeOf = ({ body }: Received) => JSON.parse(body).type as string;
const of = ({ received }: Receiver, type: string) => received.filter((each) => typeOf(each) === type);
/** Refuses messages of a type, and takes the others. */
const refusingAll =
  (type: string, refuse = refusing): Answering =>
  (response, message) =>
    (typeOf(message) === type ? refuse : taking)(response, message);

test('a topic whose message is refused delays neither events nor another topic', async ({
  customer,
  tell,
  topics,
}) => {
  const { read, receiver } = customer;
  await topics();
  receiver.answer = refusingAll('recolecciones');
  await tell('recolecciones', { n: 1 });
  await expect.poll(() => of(receiver, 'recolecciones').length).toBe(1);
  await expect.poll(async () => (await read()).lastFailure?.reason).toBe('Respondio 500');
  await tell('recolecciones', { n: 2 });
  await tell('liquidaciones', { n: 1 });
  await expect.poll(() => of(receiver, 'liquidaciones').length).toBe(1);
  for (let number = 1; number <= 3; number++) {
    await customer.append(number, number);
    await expect.poll(customer.cursor).toBe(number);
  }
  const before = await read();
  const { dueAt, failedAt } = before.newsTries?.recolecciones ?? {};
  expect(before).toMatchObject({ active: true, failures: 0, waitingSince: expect.any(Date) });
  expect(dueAt && failedAt && dueAt.getTime() - failedAt.getTime()).toBeGreaterThanOrEqual(4_000);
  receiver.answer = taking;
  await customer.set({ 'newsTries.recolecciones.dueAt': new Date(), dueAt: new Date() } as object);
  await expect.poll(async () => (await read()).news?.recolecciones).toBe(2);
  const told = of(receiver, 'recolecciones').map(({ body }) => JSON.parse(body).data.Lista[0].n);
  expect([...new Set(told)]).toEqual([1, 2]);
  for (const field of ['newsTries', 'waitingSince', 'failingSince'])
    expect(await read()).not.toHaveProperty(field);
});

test('events that are refused go first: topics wait', async ({ customer, tell, topics }) => {
  const { read, receiver } = customer;
  await topics();
  receiver.answer = refusingAll('guias.eventos');
  await customer.append(1, 1);
  await expect.poll(async () => (await read()).failures).toBe(1);
  await tell('liquidaciones', { n: 1 });
  receiver.answer = taking;
  await customer.tryNow();
  await expect
    .poll(() => receiver.received.map(typeOf))
    .toEqual(['guias.eventos', 'guias.eventos', 'liquidaciones']);
});

test.for([
  ['a webhook of topics alone', []],
  ['a filter', ['Entregado']],
] as [string, FeedType[]][])(
  'events that %s leaves out are no success: the five days go on',
  async ([, types], { customer, tell, topics }) => {
    const { read, receiver } = customer;
    await topics(types);
    receiver.answer = (response) => void response.writeHead(500).end();
    await customer.set({ failingSince: new Date(Date.now() - 5 * DAY) });
    await customer.append(1, 3, ['EnTransito']);
    await expect.poll(customer.cursor).toBe(3);
    if (types.length === 0) await tell('recolecciones', { n: 1 });
    else await customer.append(4, 4, types);
    await expect.poll(async () => (await read()).lastFailure).toBeDefined();
    expect(await read()).toMatchObject({ active: false, off: { reason: 'Cinco dias sin exito' } });
  },
);

test('a message of a topic that is answered by 410 switches its webhook off, and can be skipped', async ({
  customer,
  store,
  tell,
  topics,
}) => {
  const { account, id, read, receiver } = customer;
  await topics();
  receiver.answer = refusingAll('liquidaciones', (response) => void response.writeHead(410).end());
  await tell('liquidaciones', { n: 1 });
  await expect.poll(async () => (await read()).active).toBe(false);
  const off = await read();
  expect(off).toMatchObject({ failures: 0, newsTries: { liquidaciones: { failures: 1 } } });
  await customer.append(1, 1);
  await store.skipNews(off, 'liquidaciones', 1);
  await expect.poll(customer.cursor).toBe(1);
  expect(eventIds(of(receiver, 'guias.eventos'))).toEqual(['E1']);
  expect(of(receiver, 'liquidaciones')).toHaveLength(1);
  expect(await store.skipNews(off, 'liquidaciones', 1)).toBeUndefined();
  expect(await store.find(account, id)).not.toHaveProperty('newsTries');
});

test('a topic of which its account has skipped the message meanwhile stays where it is', async ({
  customer,
  store,
  tell,
  topics,
}) => {
  const { read, receiver } = customer;
  await topics([]);
  receiver.answer = refusingAll('recolecciones');
  await tell('recolecciones', { n: 1 });
  await expect.poll(async () => (await read()).newsTries?.recolecciones?.failures).toBe(1);
  const arrived = Promise.withResolvers<() => void>();
  receiver.answer = (response) => {
    receiver.answer = taking;
    arrived.resolve(() => void response.writeHead(500).end());
  };
  await customer.set({ 'newsTries.recolecciones.dueAt': new Date(), dueAt: new Date() } as object);
  const answer = await arrived.promise;
  await store.skipNews(await read(), 'recolecciones', 1);
  await tell('recolecciones', { n: 2 });
  answer();
  await expect.poll(async () => (await read()).news?.recolecciones).toBe(2);
  expect(await read()).not.toHaveProperty('newsTries');
  expect((await read()).attempts).toHaveLength(2);
});
