import { Webhook as Official, WebhookVerificationError } from 'standardwebhooks';
import { describe, expect } from 'vitest';
import { newSecret } from '#shared/webhooks/webhook-secrets.ts';
import { appendEvents } from '#test/fixtures/event-log.ts';
import { eventIds, type Receiver, refusing, taking } from '#test/fixtures/receiver.ts';
import { SECRET, test as webhooksTest } from '#test/fixtures/webhooks.ts';

/** What a receiver sees: each event, in order, in messages whose ids never change. */

const test = webhooksTest.extend('running', { scope: 'file', auto: true }, ({ webhooks }) => webhooks);

const ids = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => `E${from + i}`);

test('a webhook gets the events of its account in order, up to 100 a message', async ({ customer }) => {
  await customer.append(1, 250);
  await expect.poll(customer.cursor).toBe(250);
  expect(eventIds(customer.receiver.received)).toEqual(ids(1, 250));
  expect(customer.receiver.received).toHaveLength(3);
  expect(new Set(customer.receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(3);
  expect(JSON.parse(customer.receiver.received[0]?.body ?? '')).toEqual({
    type: 'guias.eventos',
    timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
    data: { Eventos: expect.any(Array) },
  });
  expect((await customer.read()).lastSuccess).toBeInstanceOf(Date);
});

test('an event whose append is open is not sent yet, for five seconds', async ({
  customer,
  store,
  stores,
}) => {
  await appendEvents(stores.mongo, customer.account, 1, 1);
  await appendEvents(stores.mongo, customer.account, 2, 2, undefined, true);
  await store.wake(customer.account, 0);
  await expect.poll(customer.cursor).toBe(1);
  expect(eventIds(customer.receiver.received)).toEqual(['E1']);
  await expect.poll(customer.cursor).toBe(2); // without anybody who wakes it
  expect(eventIds(customer.receiver.received)).toEqual(['E1', 'E2']);
});

test('every try of a message has the same id and the same events', async ({ customer }) => {
  customer.receiver.answer = refusing;
  await customer.append(1, 3);
  await expect.poll(async () => (await customer.read()).failures).toBe(1);
  await customer.append(4, 5);
  await customer.tryNow();
  customer.receiver.answer = taking;
  await customer.tryNow();
  await expect.poll(customer.cursor).toBe(5);
  const { received } = customer.receiver;
  expect(received).toHaveLength(4);
  expect(new Set(received.slice(0, 3).map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  expect(new Set(received.slice(0, 3).map(({ body }) => body)).size).toBe(1);
  expect(eventIds(received.slice(2))).toEqual(ids(1, 5));
  const { failures, failingSince, lastFailure } = await customer.read();
  expect({ failures, failingSince, reason: lastFailure?.reason }).toEqual({
    failures: 0,
    reason: 'Respondio 500',
  });
});

test('a message that was begun goes on without events that have expired', async ({ customer, stores }) => {
  customer.receiver.answer = refusing;
  await customer.append(1, 3);
  await expect.poll(async () => (await customer.read()).failures).toBe(1);
  const events = stores.mongo.collection<{ _id: string }>('events');
  const last = `${customer.account} ${'3'.padStart(12, '0')}`;
  await events.deleteOne({ _id: last });
  await customer.append(4, 4);
  customer.receiver.answer = taking;
  await customer.tryNow();
  await expect.poll(customer.cursor).toBe(4); // without anybody who wakes it
  const { received } = customer.receiver;
  expect(received.slice(1).map((one) => eventIds([one]))).toEqual([['E1', 'E2'], ['E4']]);
  expect(received[1]?.headers['webhook-id']).toBe(received[0]?.headers['webhook-id']);

  customer.receiver.answer = refusing;
  await customer.append(5, 6);
  await expect.poll(async () => (await customer.read()).failures).toBe(1);
  await events.deleteMany({ _id: { $gt: last, $lt: `${customer.account} 9` } });
  await customer.tryNow();
  await expect.poll(customer.cursor).toBe(6);
});

test('a message that was begun waits until all of its events are shown', async ({
  customer,
  store,
  stores,
}) => {
  await customer.set({ through: 3 }); // as by a process whose database was ahead
  await appendEvents(stores.mongo, customer.account, 1, 2);
  await appendEvents(stores.mongo, customer.account, 3, 3, undefined, true);
  await store.wake(customer.account, 0);
  await expect.poll(customer.cursor).toBe(3);
  expect(customer.receiver.received).toHaveLength(1);
  expect(eventIds(customer.receiver.received)).toEqual(['E1', 'E2', 'E3']);
});

test('off and on again, it goes on where it stopped', async ({ customer, store }) => {
  await customer.append(1, 2);
  await expect.poll(customer.cursor).toBe(2);
  customer.receiver.answer = (response) => void response.writeHead(410).end();
  await customer.append(3, 4);
  await expect.poll(async () => (await customer.read()).active).toBe(false);
  await customer.append(5, 6);
  customer.receiver.answer = taking;
  await store.activate(customer.account, customer.id);
  await expect.poll(customer.cursor).toBe(6);
  const refused = customer.receiver.received[1];
  expect(eventIds(customer.receiver.received.filter((each) => each !== refused))).toEqual(ids(1, 6));
  expect(customer.receiver.received[2]?.headers['webhook-id']).toBe(refused?.headers['webhook-id']);
});

describe('while a message is under way', () => {
  /** Has the next message answered by the function that this returns, once it is there. */
  const holdNext = ({ receiver }: { receiver: Receiver }) => {
    const arrived = Promise.withResolvers<() => void>();
    receiver.answer = (response) => {
      receiver.answer = taking;
      arrived.resolve(() => void response.writeHead(204).end());
    };
    return arrived.promise;
  };

  test('whoever moves the cursor has the last word', async ({ customer, newCustomer, store }) => {
    const held = holdNext(customer);
    await customer.append(1, 3);
    const answer = await held;
    await store.activate(customer.account, customer.id, 1);
    const other = await newCustomer();
    await other.append(1, 1);
    await expect.poll(other.cursor).toBe(1); // so the sender has looked for what is due
    expect(eventIds(customer.receiver.received)).toEqual(ids(1, 3));
    answer();
    await expect.poll(customer.cursor).toBe(3);
    expect(eventIds(customer.receiver.received)).toEqual([...ids(1, 3), 'E2', 'E3']);
  });
});

describe('it is switched off', () => {
  test.for([
    ['by 410', 410, new Date(), 'Respondio 410: ya no existe'],
    ['after five days without success', 500, new Date(Date.now() - 5 * 86_400_000), 'Cinco dias sin exito'],
  ] as const)(
    '%s, and the trail and a metric say so',
    async ([, status, failingSince, reason], { customer, webhooks, stores }) => {
      customer.receiver.answer = (response) => void response.writeHead(status).end();
      await customer.set({ failingSince });
      const count = async () => {
        const text = (await webhooks.server.inject('/metrics')).body;
        return Number(/^webhooks_switched_off_total (\d+)/m.exec(text)?.[1]);
      };
      const before = await count();
      await customer.append(1, 1);
      await expect.poll(async () => (await customer.read()).active).toBe(false);
      expect(await customer.read()).toMatchObject({ off: { reason }, lastFailure: { reason }, cursor: 0 });
      await expect.poll(count).toBe(before + 1);
      await expect
        .poll(() => stores.mongo.collection('audit').findOne({ account: customer.account }))
        .toMatchObject({
          action: 'webhook.off',
          actor: 'webhooks',
          details: { webhook: customer.id, reason },
        });
    },
  );
});

test('a process that dies while it sends loses nothing', async ({ customer }) => {
  // What a process leaves that died after the post and before it moved the cursor.
  await customer.set({ leaseUntil: new Date(Date.now() + 3_600_000), lease: 'of the dead', through: 2 });
  await customer.append(1, 3);
  await customer.set({ leaseUntil: new Date() });
  await expect.poll(customer.cursor).toBe(3);
  expect(customer.receiver.received.map((one) => eventIds([one]))).toEqual([['E1', 'E2'], ['E3']]);
});

/** The official library of Standard Webhooks verifies what a receiver gets. */

test('a message is signed with the secret, and with no other', async ({ customer }) => {
  await customer.append(1, 2);
  await expect.poll(customer.cursor).toBe(2);
  const [message] = customer.receiver.received;
  if (!message) throw new Error('there is no message');
  const read = new Official(SECRET).verify(message.body, message.headers) as { data: { Eventos: object[] } };
  expect(read.data.Eventos[1]).toEqual({
    Id: 'E2',
    SEND_GUIA: '390458235877',
    Tipo: 'EnTransito',
    SEND_ESTATUS: 'EnTransito',
    Version: 2,
    Ocurrido: expect.any(String),
    Registrado: expect.any(String),
  });
  for (const [secret, body] of [
    [newSecret(), message.body],
    [SECRET, `${message.body} `],
  ] as const) {
    expect(() => new Official(secret).verify(body, message.headers)).toThrow(WebhookVerificationError);
  }
});
