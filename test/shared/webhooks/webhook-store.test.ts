import { describe, expect, onTestFinished, vi } from 'vitest';
import { type HeldWebhook, WebhookLeases } from '#services/webhooks/webhook-leases.ts';
import { createIndexes } from '#shared/stores/collection.ts';
import { WebhookFigures } from '#shared/webhooks/webhook-figures.ts';
import { type SecretsDocument, setByOf, WEBHOOKS, type Webhook } from '#shared/webhooks/webhook-model.ts';
import { newSecret } from '#shared/webhooks/webhook-secrets.ts';
import { WebhookStore } from '#shared/webhooks/webhook-store.ts';
import { test as storesTest } from '#test/fixtures/stores.ts';

/** Who may change a webhook, and when: a sender that holds it, another one, and its account. */

const MINUTE = 60_000;
const DAY = 86_400_000;
const FAILED = { at: new Date(), ms: 12, status: 500, reason: 'Respondio 500' };

const test = storesTest
  .extend('webhooksOf', { scope: 'file' }, ({ stores }) => stores.mongo.collection<Webhook>('webhooks'))
  .extend('secretsOf', { scope: 'file' }, ({ stores }) =>
    stores.mongo.collection<SecretsDocument>('webhookSecrets'),
  )
  .extend('store', async ({ stores, webhooksOf }) => {
    await webhooksOf.deleteMany({});
    await createIndexes(stores.mongo, WEBHOOKS);
    return new WebhookStore(stores.mongo);
  })
  .extend('leases', { scope: 'file' }, ({ stores }) => new WebhookLeases(stores.mongo))
  .extend('figures', { scope: 'file' }, ({ stores }) => new WebhookFigures(stores.mongo))
  .extend('secret', newSecret())
  .extend('id', async ({ store, secret }) => {
    const webhook = { account: 'a', url: 'https://tienda.example/', description: '', cursor: 0 };
    return (await store.add(webhook, secret))?.id ?? '';
  })
  /** Claims the webhook as soon as it is due. */
  .extend('claim', ({ leases }) => (cell = '') => {
    return vi.waitFor(async () => (await leases.claim(cell, 1)).held[0] ?? Promise.reject(), 10_000);
  })
  /** Claims the webhook, and has begun a message of three events. */
  .extend('held', async ({ claim, id, leases }): Promise<HeldWebhook> => {
    const held = await claim();
    expect(held.id).toBe(id);
    expect(await leases.beginMessage(held, 3, new Date())).toBe(true);
    return held;
  })
  .extend('read', ({ webhooksOf, id }) => async () => {
    return (await webhooksOf.findOne({ id })) as Webhook;
  })
  .extend('set', ({ webhooksOf, id }) => (values: Partial<Webhook>) => {
    return webhooksOf.updateOne({ id }, { $set: values });
  });

test("a canary's webhook is claimed by senders of its cell alone", async ({
  store,
  secret,
  claim,
  leases,
}) => {
  for (const [account, canaryOf] of Object.entries({
    'guardia-cliente-norte': 'norte',
    'guardia-cliente': '',
  }))
    await store.add(
      { account, url: 'http://canary:3006/webhook', description: '', cursor: 0, canaryOf },
      secret,
    );
  expect(await claim('norte')).toMatchObject({ account: 'guardia-cliente-norte' });
  expect(await leases.claim('sur', 1)).toEqual({ held: [], hasMore: false });
  expect(await claim('')).toMatchObject({ account: 'guardia-cliente' });
});

test('webhooks that are due are claimed together, those of an account one after the other', async ({
  store,
  secret,
  leases,
  webhooksOf,
}) => {
  const url = 'https://tienda.example/';
  for (const [i, account] of ['a', 'b', 'a', 'c'].entries()) {
    const added = await store.add({ account, url, description: '', cursor: 0 }, secret);
    await webhooksOf.updateOne({ id: added?.id ?? '' }, { $set: { dueAt: new Date(i) } });
  }
  const claimed = async (limit: number, except?: string[]) => {
    const { held, hasMore } = await leases.claim('', limit, except);
    return { ids: held.map(({ _id }) => _id), hasMore };
  };
  expect(await claimed(9, ['c'])).toEqual({ ids: ['a 1', 'b 1'], hasMore: true });
  expect(await claimed(1)).toEqual({ ids: ['a 2'], hasMore: true });
  expect(await claimed(9)).toEqual({ ids: ['c 1'], hasMore: false });
});

test('processes that claim at once share what is due', async ({ store, secret, leases, webhooksOf }) => {
  const url = 'https://tienda.example/';
  const accounts = Array.from({ length: 20 }, (_, i) => `a${i}`);
  for (const account of accounts) await store.add({ account, url, description: '', cursor: 0 }, secret);
  for (let round = 0; round < 20; round++) {
    await webhooksOf.updateMany({}, { $set: { dueAt: new Date(0), leaseUntil: new Date(0) } });
    const wakes = accounts.map((account) => store.wake(account, 0));
    const claims = await Promise.all([20, 20, 20, 7].map((limit) => leases.claim('', limit)));
    await Promise.all(wakes);
    const held = claims.flatMap((claim) => claim.held);
    expect(held.map(({ account }) => account).sort()).toEqual([...accounts].sort());
    for (const webhook of held) expect(await leases.beginMessage(webhook, 1, new Date())).toBe(true);
  }
});

test('a process whose lease was taken changes nothing', async ({ set, held, read, claim, leases }) => {
  await set({ leaseUntil: new Date(0), dueAt: new Date(0) });
  const other = await claim();
  const before = await read();
  expect(await leases.beginMessage(held, 9, new Date())).toBe(false);
  expect(await leases.moveCursor(held, 9)).toBe(false);
  expect(await leases.finish(held, 9, FAILED)).toBe(false);
  await leases.postpone(held, FAILED, MINUTE, true);
  expect(await leases.disable(held, 'Respondio 410: ya no existe', FAILED)).toBe(false);
  await leases.release(held);
  expect(await read()).toEqual(before);
  expect(await leases.moveCursor(other, 3)).toBe(true);
});

test('a webhook that its account activates while a message fails stays on', async ({
  store,
  set,
  held,
  read,
  claim,
  leases,
}) => {
  await set({ failures: 3 });
  await store.activate('a', held.id);
  expect(await leases.disable({ ...held, failures: 3 }, 'Respondio 410: ya no existe', FAILED)).toBe(false);
  const { active, failures, off } = await read();
  expect({ active, failures, off }).toEqual({ active: true, failures: 0, off: undefined });
  expect(await claim()).toMatchObject({ id: held.id });
});

test('a change of topics takes none back that a sender moves meanwhile', async ({ store, set, id, read }) => {
  const topics = { recolecciones: 0, liquidaciones: 0 };
  await store.change('a', id, { topics }, { username: 'ana' });
  for (let turn = 1; turn <= 40; turn++) {
    const { recolecciones, liquidaciones } = topics;
    const wanted = { recolecciones, ...(turn % 2 === 0 && { liquidaciones }) };
    await Promise.all([
      set({ 'news.recolecciones': turn } as object),
      store.change('a', id, { topics: wanted }, { username: 'ana' }),
    ]);
    expect((await read()).news?.recolecciones).toBe(turn);
  }
});

test('whoever activates or moves a webhook has the messages of its topics tried at once', async ({
  store,
  set,
  id,
  read,
}) => {
  const dueAt = new Date(Date.now() + DAY);
  const tries = { failures: 3, failedAt: new Date(), dueAt, waitingSince: new Date() };
  const fails = () => set({ newsTries: { recolecciones: tries }, dueAt });
  await fails();
  await store.activate('a', id);
  expect(await read()).not.toHaveProperty('newsTries');
  await fails();
  await store.change('a', id, { url: 'https://otra.example/' }, { username: 'ana' });
  const moved = await read();
  expect(moved).not.toHaveProperty('newsTries');
  expect(moved.dueAt.getTime()).toBeLessThan(dueAt.getTime());
});

test('an account that activates a webhook that fails gets no other five days; one that was off does', async ({
  store,
  set,
  id,
  read,
}) => {
  const failingSince = new Date(Date.now() - 4 * DAY);
  await set({ failures: 9, failingSince });
  await store.activate('a', id);
  expect(await read()).toMatchObject({ failures: 0, failingSince });
  await set({ active: false });
  await store.activate('a', id);
  expect(await read()).not.toHaveProperty('failingSince');
});

describe('a change of the address that is taken back', () => {
  const OWN = 'https://tienda.example/';
  const changeBy = async (store: WebhookStore, id: string, username: string, url: string) => {
    const changed = await store.change('a', id, { url, active: false }, { username });
    return changed ?? Promise.reject();
  };

  test('leaves nobody who chose an address of which nobody knew', async ({ store, id, read, claim }) => {
    await store.takeBack(await changeBy(store, id, 'ladron', 'https://ladron.example/'));
    expect(setByOf(await read())).toBeUndefined();
    expect(await claim()).toMatchObject({ id, url: OWN, active: true });
  });

  test('stays if somebody else has chosen another one since', async ({ store, id, read }) => {
    const changed = await changeBy(store, id, 'ladron', 'https://ladron.example/');
    await changeBy(store, id, 'ana', 'https://nueva.example/');
    await store.takeBack(changed);
    expect(await read()).toMatchObject({ url: 'https://nueva.example/', active: false });
  });

  test.for([
    [0, 1],
    [1, 0],
  ])('leaves none of two of one user, in the order %j', async (order, { store, id, read }) => {
    const changes = [
      await changeBy(store, id, 'ladron', 'https://ladron.example/1'),
      await changeBy(store, id, 'ladron', 'https://ladron.example/2'),
    ];
    for (const i of order) await store.takeBack(changes[i] as (typeof changes)[number]);
    expect(await read()).toMatchObject({ url: OWN, active: true });
  });
});

test('support sees a webhook at which no sender has looked for ten minutes', async ({ store, set, id }) => {
  await set({ dueAt: new Date(Date.now() - 9 * MINUTE) });
  expect(await store.listTroubled(10)).toEqual([]);
  await set({ dueAt: new Date(Date.now() - 11 * MINUTE) });
  expect(await store.listTroubled(10)).toMatchObject([{ id }]);
});

describe('to wake', () => {
  test('a webhook that is held is not lost when it is let go', async ({ store, held, id, claim, leases }) => {
    await store.wake('a', 0);
    expect(await leases.moveCursor(held, 3)).toBe(true);
    await leases.release(held);
    expect(await claim()).toMatchObject({ id });
  });

  test('a webhook whose last message is taken meanwhile is not lost', async ({
    store,
    held,
    claim,
    leases,
  }) => {
    await store.wake('a', 0);
    expect(await leases.finish(held, 3, FAILED)).toBe(true);
    expect(await claim()).toMatchObject({ id: held.id, cursor: 3 });
  });

  test('again and again delays no webhook that is due', async ({ store, id, read }) => {
    await store.wake('a', 0);
    const { dueAt } = await read();
    await store.wake('a', MINUTE);
    expect(await read()).toMatchObject({ id, dueAt });
  });

  test('a webhook that was claimed, and has begun no message yet, is not lost', async ({
    store,
    id,
    claim,
    leases,
  }) => {
    const held = await claim();
    await store.wake('a', 0);
    expect(await leases.beginMessage(held, 3, new Date())).toBe(true);
    expect(await leases.moveCursor(held, 3)).toBe(true);
    await leases.release(held);
    expect(await claim()).toMatchObject({ id });
  });

  test('cuts no pause of a webhook that fails', async ({ store, held, read, leases }) => {
    await leases.postpone(held, FAILED, MINUTE, true);
    const { dueAt } = await read();
    await store.wake('a', 0);
    expect((await read()).dueAt).toEqual(dueAt);
    expect(await leases.claim('', 1)).toEqual({ held: [], hasMore: false });
  });
});

test('of the tries of a webhook the last ten are kept, the newest first', async ({ held, read, leases }) => {
  const at = (second: number) => new Date(Date.UTC(2026, 10, 23, 12, 0, second));
  for (let second = 1; second <= 12; second++) {
    expect(await leases.moveCursor(held, 3, { at: at(second), ms: second, status: 204 })).toBe(true);
  }
  expect((await read()).attempts?.map(({ ms }) => ms)).toEqual([12, 11, 10, 9, 8, 7, 6, 5, 4, 3]);
  await leases.postpone(held, { ...FAILED, at: at(13) }, MINUTE, true);
  const { attempts, lastSuccess, lastFailure } = await read();
  expect(attempts?.[0]).toEqual({ ...FAILED, at: at(13) });
  expect([lastSuccess, lastFailure]).toEqual([at(12), { at: at(13), reason: 'Respondio 500' }]);
});

test('the last message leaves a webhook as one that has nothing to send', async ({
  held,
  read,
  set,
  leases,
}) => {
  const tries = Array.from({ length: 10 }, (_, ms) => ({ at: new Date(ms), ms, status: 204 }));
  await set({ failures: 2, failingSince: new Date(0), attempts: tries });
  const taken = { at: new Date(Date.UTC(2026, 10, 23)), ms: 12, status: 204 };
  expect(await leases.finish({ ...held, failures: 2 }, 3, taken)).toBe(true);
  const left = await read();
  expect(left).toMatchObject({ cursor: 3, failures: 0, lastSuccess: taken.at, leaseUntil: new Date(0) });
  expect(left.attempts).toEqual([taken, ...tries.slice(0, 9)]);
  for (const field of ['lease', 'through', 'waitingSince', 'failingSince'])
    expect(left).not.toHaveProperty(field);
  expect(Math.abs(left.dueAt.getTime() - Date.now() - MINUTE)).toBeLessThan(15_000);
});

describe('to skip', () => {
  test('moves the cursor past the message that was begun, once', async ({ store, held, read, leases }) => {
    await leases.postpone(held, FAILED, MINUTE, true);
    const failing = (await read()) as Webhook & { through: number };
    expect(await store.skip(failing)).toMatchObject({ cursor: 3, failures: 0, active: true });
    expect(await read()).not.toHaveProperty('through');
    expect(await store.skip(failing)).toBeUndefined();
    expect((await read()).cursor).toBe(3);
  });

  test('has the last word over a try that is under way', async ({ store, set, held, read, leases }) => {
    await set({ failures: 2 });
    await store.skip({ ...(await read()), through: 3 });
    const before = await read();
    expect(await leases.moveCursor({ ...held, failures: 2 }, 3, FAILED)).toBe(false);
    expect(await leases.disable({ ...held, failures: 2 }, 'Respondio 410: ya no existe', FAILED)).toBe(false);
    expect(await read()).toMatchObject({ cursor: 3, active: true, replays: before.replays });
  });
});

describe('secrets', () => {
  test('sign for a day after a change, the newest four', async ({ store, secretsOf, id, secret }) => {
    const added = [newSecret(), newSecret(), newSecret(), newSecret()];
    for (const each of added.slice(0, 3)) await store.secrets.add(id, each);
    expect(await store.secrets.of(id)).toEqual([...added.slice(0, 3).toReversed(), secret]);
    const [newest, ...older] = (await secretsOf.findOne({ _id: id }))?.secrets ?? [];
    expect(newest).not.toHaveProperty('until');
    for (const { until } of older)
      expect(Math.abs((until?.getTime() ?? 0) - Date.now() - DAY)).toBeLessThan(MINUTE);
    await store.secrets.add(id, added[3] as string);
    expect(await store.secrets.of(id)).toEqual(added.toReversed());
    await secretsOf.updateOne({ _id: id }, { $set: { 'secrets.1.until': new Date(0) } });
    expect(await store.secrets.of(id)).toEqual([added[3], added[1], added[0]]);
  });

  test('go with their webhook', async ({ store, secretsOf, id }) => {
    expect(await store.remove('a', id)).toBe(true);
    expect(await secretsOf.findOne({ _id: id })).toBeNull();
    expect(await store.secrets.add(id, newSecret())).toBe(false);
    expect(await store.remove('a', id)).toBe(false);
  });
});

describe.each([
  ['ahead', 2 * MINUTE],
  ['behind', -2 * MINUTE],
])('a process whose clock is two minutes %s', (_where, offset) => {
  /** Has this process's clock differ from that of the database; timers run as ever. */
  const shiftClock = () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + offset });
    onTestFinished(() => void vi.useRealTimers());
  };

  test('claims what is due, and frees it for others', async ({ store, id, read, claim, leases }) => {
    const now = Date.now();
    shiftClock();
    const held = await claim();
    expect(held.id).toBe(id);
    expect(Math.abs(held.leaseUntil.getTime() - now - 30_000)).toBeLessThan(15_000);
    await store.wake('a', 0);
    await leases.release(held);
    vi.useRealTimers();
    expect(Math.abs((await read()).dueAt.getTime() - now)).toBeLessThan(15_000);
    expect(await claim()).toMatchObject({ id });
  });

  test('counts who is behind or off, and ends secrets, alike', async ({
    store,
    secretsOf,
    set,
    id,
    figures,
  }) => {
    const now = Date.now();
    const ago = (ms: number) => new Date(now - ms);
    const secrets = [
      { value: 'new' },
      { value: 'old', until: ago(-MINUTE) },
      { value: 'ended', until: ago(MINUTE) },
    ];
    await secretsOf.updateOne({ _id: id }, { $set: { secrets } });
    await set({ waitingSince: ago(9 * MINUTE) });
    shiftClock();
    expect(await figures.countBehind()).toBe(0);
    expect(await store.secrets.of(id)).toEqual(['new', 'old']);
    await set({ waitingSince: ago(11 * MINUTE) });
    expect(await figures.countBehind()).toBe(1);
    await set({ active: false, off: { at: ago(9 * MINUTE), reason: '' } });
    expect([await figures.countDisabled(10 * MINUTE), await figures.countDisabled(8 * MINUTE)]).toEqual([
      1, 0,
    ]);
  });
});
