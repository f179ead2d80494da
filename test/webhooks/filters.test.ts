import { describe, expect } from 'vitest';
import type { FeedType } from '#shared/guides/event-types.ts';
import { type Answering, eventIds, refusing, taking } from '#test/fixtures/receiver.ts';
import { test as webhooksTest } from '#test/fixtures/webhooks.ts';

/** A filter loses no event of its types, and stops at none that it leaves out, also when it is changed meanwhile. */

const BY = { username: 'tienda' };
const TYPES: FeedType[] = ['EnTransito', 'EnReparto', 'Entregado', 'Incidencia'];
/** Numbers of events from 1 on that have one of these types. */
const idsOf = (to: number, types: readonly FeedType[], from = 1) =>
  Array.from({ length: to - from + 1 }, (_, i) => from + i)
    .filter((number) => types.includes(TYPES[number % TYPES.length] as FeedType))
    .map((number) => `E${number}`);

const test = webhooksTest
  .extend('running', { scope: 'file', auto: true }, ({ webhooks }) => webhooks)
  .extend('filter', ({ customer, store }) => (...types: FeedType[]) => {
    return store.change(customer.account, customer.id, { types }, BY);
  });
const answering =
  (status: number): Answering =>
  (response) =>
    void response.writeHead(status).end();

test('a webhook gets the events of its types alone, in order', async ({ customer, filter }) => {
  await filter('Entregado', 'Incidencia');
  await customer.append(1, 450, TYPES);
  await expect.poll(customer.cursor).toBe(450);
  expect(eventIds(customer.receiver.received)).toEqual(idsOf(450, ['Entregado', 'Incidencia']));
  expect(customer.receiver.received).toHaveLength(5);
});

test('without an event of its types nothing is sent, and the cursor moves', async ({ customer, filter }) => {
  await filter('Cancelacion');
  await customer.append(1, 250, TYPES);
  await expect.poll(customer.cursor).toBe(250);
  await customer.append(251, 251, ['Cancelacion']);
  await expect.poll(customer.cursor).toBe(251);
  expect(eventIds(customer.receiver.received)).toEqual(['E251']);
  const { attempts, lastSuccess } = await customer.read();
  expect([attempts?.length, lastSuccess]).toEqual([1, attempts?.[0]?.at]);
});

describe('a filter that is changed', () => {
  test('while a message fails no longer stops at what it leaves out', async ({ customer, filter }) => {
    customer.receiver.answer = (response, message) =>
      (message.body.includes('Incidencia') ? refusing : taking)(response, message);
    await customer.append(1, 40, TYPES);
    await expect.poll(async () => (await customer.read()).failures).toBe(1);
    await filter('Entregado', 'EnReparto');
    await expect.poll(customer.cursor).toBe(40);
    expect(eventIds(customer.receiver.received.slice(1))).toEqual(idsOf(40, ['Entregado', 'EnReparto']));
    expect((await customer.read()).failures).toBe(0);
  });

  test.for([
    ['is taken', 204],
    ['is refused', 500],
    ['has its webhook switched off', 410],
  ] as const)(
    'while a message is under way that %s holds from the last event taken',
    async ([, status], { customer, filter }) => {
      await filter('Entregado');
      await customer.append(1, 100, TYPES);
      await expect.poll(customer.cursor).toBe(100);
      const arrived = Promise.withResolvers<() => void>();
      customer.receiver.answer = (response, message) => {
        customer.receiver.answer = taking;
        arrived.resolve(() => answering(status)(response, message));
      };
      await customer.append(101, 200, TYPES);
      const answer = await arrived.promise;
      const before = customer.receiver.received.length;
      await filter('Incidencia', 'EnReparto');
      answer();
      await expect.poll(customer.cursor).toBe(200);
      const after = customer.receiver.received.slice(before);
      expect(eventIds(after)).toEqual(idsOf(200, ['Incidencia', 'EnReparto'], 101));
      const messageIds = customer.receiver.received.map(({ headers }) => headers['webhook-id']);
      expect(new Set(messageIds).size).toBe(messageIds.length);
      expect(await customer.read()).toMatchObject({ active: true, failures: 0 });
    },
  );

  test('again and again, with senders that die, loses nothing of the types that stay', async ({
    customer,
    filter,
    webhooksOf,
  }) => {
    const EVENTS = 1_500;
    let seen = 0;
    customer.receiver.answer = (...message) => answering(++seen % 4 === 0 ? 503 : 204)(...message);
    await filter('Entregado');
    await customer.append(1, EVENTS, TYPES);
    const others: FeedType[][] = [['Incidencia'], ['EnReparto', 'EnTransito'], []];
    for (let turn = 0; (await customer.cursor()) < EVENTS; turn++) {
      const { length } = customer.receiver.received;
      await expect
        .poll(async () => customer.receiver.received.length > length || (await customer.cursor()) === EVENTS)
        .toBe(true);
      await filter('Entregado', ...(others[turn % others.length] as FeedType[]));
      // Another process takes over, as after the end of a dead one's lease; nobody waits for a next try.
      const past = new Date(Date.now() - 1);
      await webhooksOf.updateOne(
        { id: customer.id },
        { $set: { leaseUntil: past, dueAt: new Date(0) }, ...(turn % 2 === 0 && { $unset: { lease: 1 } }) },
      );
    }
    const wanted = idsOf(EVENTS, ['Entregado']);
    const received = eventIds(customer.receiver.received).filter((id) => wanted.includes(id));
    expect([...new Set(received)]).toEqual(wanted);
  });

  test('to the same types repeats nothing', async ({ customer, store, filter }) => {
    await filter('Entregado', 'Incidencia');
    const { replays } = await customer.read();
    await store.change(
      customer.account,
      customer.id,
      { types: ['Entregado', 'Incidencia'], active: true },
      BY,
    );
    expect((await customer.read()).replays).toBe(replays);
  });
});

describe('a webhook that is changed while a message is under way', () => {
  test('sends the next message to its new address, and fails no more by the old one', async ({
    customer,
    store,
    newReceiver,
  }) => {
    const { account, id, receiver } = customer;
    const arrived = Promise.withResolvers<() => void>();
    receiver.answer = (...message) => arrived.resolve(() => answering(410)(...message));
    await customer.append(1, 3);
    const answer = await arrived.promise;
    const other = await newReceiver();
    await store.change(account, id, { url: other.url }, BY);
    answer();
    await expect.poll(customer.cursor).toBe(3);
    expect(eventIds(other.received)).toEqual(['E1', 'E2', 'E3']);
    expect(other.received[0]?.headers['webhook-id']).toBe(receiver.received[0]?.headers['webhook-id']);
    expect(await customer.read()).toMatchObject({ active: true, failures: 0 });
  });

  test('sends nothing more while it is off, and goes on afterwards', async ({ customer, store }) => {
    const { account, id, receiver } = customer;
    const arrived = Promise.withResolvers<() => void>();
    receiver.answer = (...message) => {
      receiver.answer = taking;
      arrived.resolve(() => taking(...message));
    };
    await customer.append(1, 150);
    const answer = await arrived.promise;
    await store.change(account, id, { active: false }, BY);
    answer();
    await expect.poll(async () => (await customer.read()).lease).toBeUndefined();
    expect([await customer.cursor(), receiver.received.length]).toEqual([100, 1]);
    expect(await customer.read()).not.toHaveProperty('off'); // no operator need know
    await store.change(account, id, { active: true }, BY);
    await expect.poll(customer.cursor).toBe(150);
    expect(receiver.received).toHaveLength(2);
  });
});

test('of two changes at the same moment none is lost', async ({ customer, store }) => {
  const { account, id } = customer;
  for (let turn = 0; turn < 40; turn++) {
    const types: FeedType[] = [turn % 2 === 0 ? 'Entregado' : 'Incidencia'];
    const description = `Tienda ${turn}`;
    await Promise.all([
      store.change(account, id, { types }, BY),
      store.change(account, id, { description }, BY),
    ]);
    expect(await customer.read()).toMatchObject({ types, description });
  }
});
