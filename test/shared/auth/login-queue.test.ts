import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect } from 'vitest';
import { createLogin, type LoginAttempt } from '#shared/auth/login.ts';
import { loginKeys } from '#shared/auth/login-keys.ts';
import { LoginLimit } from '#shared/auth/login-limit.ts';
import { LoginQueue } from '#shared/auth/login-queue.ts';
import { UserStore } from '#shared/auth/user-store.ts';
import { isTransientError } from '#shared/stores/transient-errors.ts';
import { test as storesTest } from '#test/fixtures/stores.ts';

const FOREVER = 100_000;

const test = storesTest
  /** Limits that nothing was counted against yet. */
  .extend('newLimit', { scope: 'file' }, ({ stores }) => {
    let count = 0;
    return (limits = { perUser: 10, perAddress: 100 }) =>
      new LoginLimit(stores.redis, `${stores.prefix}:login${count++}`, limits);
  })
  /** Waits until all that was asked of Redis so far is answered and dealt with. */
  .extend('settled', { scope: 'file' }, ({ stores }) => async () => {
    await stores.redis.ping();
    await nextTurn();
  });

/** A queue with one place, which is taken until `open`. */
function blockedQueue(limit: LoginLimit, maxWaiting = 100) {
  const queue = new LoginQueue(limit, { permits: 1, maxWaiting, timeoutMs: FOREVER });
  const gate = Promise.withResolvers<void>();
  const order: string[] = [];
  const first = queue.run(loginKeys('primero', '192.0.2.255'), () => gate.promise);
  return {
    order,
    wait: (username: string, address: string) =>
      queue.run(loginKeys(username, address), async () => {
        order.push(`${username} ${address}`);
      }),
    open: () => {
      gate.resolve();
      return first;
    },
  };
}

describe('logins that wait for their check', () => {
  test('go by the failures of their address, then by those of their user', async ({ newLimit, settled }) => {
    const limit = newLimit();
    const fail = async (username: string, address: string, times: number) => {
      for (let i = 0; i < times; i++) await limit.consume(loginKeys(username, address));
    };
    await fail('nadie', '192.0.2.1', 1);
    await fail('nadie', '192.0.2.2', 2);
    await fail('atacado', '192.0.2.9', 3);
    const { order, wait, open } = blockedQueue(limit);
    await settled();
    const all = [
      wait('demo', '192.0.2.2'),
      wait('demo', '192.0.2.1'),
      wait('atacado', '192.0.2.3'),
      wait('otro', '192.0.2.4'),
    ];
    await settled();
    await open();
    await Promise.all(all);
    expect(order).toEqual(['otro 192.0.2.4', 'atacado 192.0.2.3', 'demo 192.0.2.1', 'demo 192.0.2.2']);
  });

  test('take turns by address before anything has failed', async ({ newLimit, settled }) => {
    const { order, wait, open } = blockedQueue(newLimit());
    await settled();
    const all: Promise<void>[] = [];
    for (const address of ['192.0.2.1', '192.0.2.1', '192.0.2.1', '192.0.2.2', '192.0.2.2', '192.0.2.3']) {
      all.push(wait(`nadie${all.length}`, address));
      await settled();
    }
    await open();
    await Promise.all(all);
    expect(order.map((one) => one.at(-1)).join('')).toBe('123121');
  });

  test('go first from an address where their user has logged in of late', async ({ newLimit, settled }) => {
    const limit = newLimit();
    const keys = loginKeys('atacado', '192.0.2.1');
    await limit.consume(keys);
    await limit.reset(keys);
    for (let i = 0; i < 20; i++) await limit.consume(loginKeys('atacado', `192.0.2.${100 + i}`));
    for (let i = 0; i < 5; i++) await limit.consume(loginKeys('vecino', '192.0.2.1'));
    const { order, wait, open } = blockedQueue(limit);
    await settled();
    const all = [wait('nuevo', '192.0.2.2'), wait('atacado', '192.0.2.1'), wait('atacado', '192.0.2.3')];
    await settled();
    await open();
    await Promise.all(all);
    expect(order).toEqual(['atacado 192.0.2.1', 'nuevo 192.0.2.2', 'atacado 192.0.2.3']);
  });

  test('are refused when too many wait, the most suspicious one first', async ({ newLimit, settled }) => {
    const limit = newLimit();
    await limit.consume(loginKeys('nadie', '192.0.2.1'));
    const { order, wait, open } = blockedQueue(limit, 1);
    await settled();
    const suspicious = wait('demo', '192.0.2.1');
    await settled();
    const newcomer = wait('demo', '192.0.2.2');
    await expect(suspicious).rejects.toMatchObject({ code: 'overloaded', reason: 'overload' });
    await open();
    await newcomer;
    expect(order).toEqual(['demo 192.0.2.2']);
  });
});

describe('an address over its limit', () => {
  test('takes no place, and after the first refusal asks neither the database nor Redis', async ({
    stores,
  }) => {
    const redis = stores.redis.duplicate({ enableOfflineQueue: true });
    const limit = new LoginLimit(redis, `${stores.prefix}:over`, { perUser: 10, perAddress: 2 });
    const told: LoginAttempt[] = [];
    // Nothing is opened for these users: whoever asks for one fails otherwise than by a limit.
    const users = new Proxy({} as UserStore, {
      get: () => {
        throw new Error('The database was asked');
      },
    });
    const login = createLogin({ users, limit, onAttempt: (attempt) => told.push(attempt) });
    for (const username of ['a', 'b']) await limit.consume(loginKeys(username, '192.0.2.1'));
    await expect(login('demo', 'demo1234', '192.0.2.1')).rejects.toMatchObject({ reason: 'address_limit' });
    await redis.quit();
    const again = await login('demo', 'demo1234', '192.0.2.1').catch((error) => error);
    expect(again).toMatchObject({ code: 'too-many-logins', reason: 'address_limit' });
    expect(again.params.seconds).toBeGreaterThan(800);
    expect(told.map(({ outcome, repeated }) => [outcome, repeated])).toEqual([
      ['address_limit', false],
      ['address_limit', true],
    ]);
  });
});

test('while Redis is away a login is refused at once as an outage, and keeps no place', async ({
  stores,
}) => {
  const away = stores.redis.duplicate({ lazyConnect: true, enableOfflineQueue: false });
  const limit = new LoginLimit(away, `${stores.prefix}:away`, { perUser: 1, perAddress: 1 });
  const queue = new LoginQueue(limit, { permits: 1, timeoutMs: FOREVER });
  const users = new UserStore(stores.mongo, { allowDemo: true });
  const login = createLogin({ users, limit, queue });
  for (const _ of ['a place', 'the same place']) {
    await expect(login('demo', 'demo1234', '192.0.2.1')).rejects.toSatisfy(isTransientError);
  }
  if (away.status !== 'ready') await once(away, 'ready'); // the first command began to connect
  expect(await login('demo', 'demo1234', '192.0.2.1')).toMatchObject({ username: 'demo' });
  away.disconnect();
});

test('what is right is told, and gives its attempt back', async ({ newLimit, stores }) => {
  const limit = newLimit({ perUser: 1, perAddress: 1 });
  const told: LoginAttempt[] = [];
  const login = createLogin({
    users: new UserStore(stores.mongo, { allowDemo: true }),
    limit,
    onAttempt: (attempt) => told.push(attempt),
  });
  for (let i = 0; i < 3; i++) await login('demo', 'demo1234', '192.0.2.1');
  await expect(login('demo', 'mal', '192.0.2.1')).rejects.toMatchObject({ reason: 'wrong' });
  expect(told.map(({ outcome }) => outcome)).toEqual(['right', 'right', 'right', 'wrong']);
  expect(told[0]).toEqual({ username: 'demo', address: '192.0.2.1', outcome: 'right', repeated: false });
});
