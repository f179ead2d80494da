import { Redis } from 'ioredis';
import { describe, expect, vi } from 'vitest';
import { warnOfDemoUsers } from '#shared/accounts/demo-users.ts';
import { HashQueue } from '#shared/accounts/hash-queue.ts';
import { Login, type LoginAttempt } from '#shared/accounts/login.ts';
import { LoginLimit, loginKeys } from '#shared/accounts/login-limit.ts';
import { UserStore } from '#shared/accounts/user-store.ts';
import { test as storesTest } from '#test/fixtures/stores.ts';
import { setClockAhead } from '#test/fixtures/wrong-clock.ts';

const DAY_MS = 24 * 3_600_000;

const test = storesTest
  .extend('users', { scope: 'file' }, ({ stores }) => new UserStore(stores.mongo, { allowDemo: true }))
  /** Returns limits that nothing was counted against yet, for as many processes as are wanted. */
  .extend('newLimits', { scope: 'file' }, ({ stores }) => {
    let count = 0;
    return (processes = 1, perAddress = 100, redis = stores.redis) => {
      const prefix = `${stores.prefix}:login${count++}`;
      return Array.from({ length: processes }, () => new LoginLimit(redis, prefix, perAddress)) as [
        LoginLimit,
      ];
    };
  });

/** Returns why each login was refused, or `right`. */
const outcomes = (logins: Promise<unknown>[]) =>
  Promise.all(
    logins.map((login) =>
      login.then(
        () => 'right',
        ({ reason, name }) => reason ?? name,
      ),
    ),
  );
const count = (all: string[], wanted: string) => all.filter((one) => one === wanted).length;

describe('logins at once', () => {
  test('that are wrong pass no limit, and right ones go on', async ({ newLimits, users }) => {
    const [limit] = newLimits(1, 15);
    const login = new Login({ users, limit });
    const guesses = Array.from({ length: 30 }, (_, i) => login.check('demo', `mal${i}`, '192.0.2.1'));
    const others = Array.from({ length: 30 }, (_, i) => login.check(`nadie${i}`, 'mal', '192.0.2.1'));
    const right = login.check('demo', 'demo1234', '192.0.2.2');
    const [ofGuesses = [], ofOthers = []] = await Promise.all([outcomes(guesses), outcomes(others)]);
    expect(count(ofGuesses, 'wrong') + count(ofOthers, 'wrong')).toBe(15);
    expect(count(ofGuesses, 'wrong')).toBeLessThanOrEqual(10);
    expect(await right).toMatchObject({ username: 'demo' });
  });
});

test("a right login forgets its user's failures, not its address's", async ({ newLimits, users }) => {
  const [limit] = newLimits(1, 6);
  const login = new Login({ users, limit });
  const from = (username: string, password: string) => login.check(username, password, '192.0.2.1');
  for (const username of ['a', 'b', 'demo', 'c']) await outcomes([from(username, 'mal')]);
  expect(await outcomes([from('demo', 'demo1234')])).toEqual(['right']);
  expect(await limit.failures(loginKeys('demo', '192.0.2.1'))).toEqual({ address: 4, pair: 0 });
  // Whoever has one valid user cannot go on with others.
  for (const username of ['d', 'e']) await outcomes([from(username, 'mal')]);
  expect(await outcomes([from('demo', 'demo1234')])).toEqual(['address_limit']);
});

test('an address is known for thirty days after the last login from there', async ({ newLimits }) => {
  const [limit] = newLimits();
  const [former, usual] = [loginKeys('demo', '192.0.2.1'), loginKeys('demo', '192.0.2.2')];
  const known = () => Promise.all([limit.knows(former), limit.knows(usual)]);
  await limit.succeed(former);
  expect(await known()).toEqual([true, false]);
  setClockAhead(29 * DAY_MS);
  // What is kept of the user's addresses lives on.
  await limit.succeed(usual);
  expect(await known()).toEqual([true, true]);
  setClockAhead(2 * DAY_MS);
  expect(await known()).toEqual([false, true]);
});

test('a logged-out token is remembered while other clocks may take it', async ({ users }) => {
  const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);
  await users.create({
    username: 'relojes',
    account: 'x',
    passwordHash: 'x',
    permissions: [],
    originBranch: null,
    disabled: false,
  });
  await users.revokeToken('relojes', { jti: 'two', until: minutesAgo(2) });
  await users.revokeToken('relojes', { jti: 'eleven', until: minutesAgo(11) });
  await users.revokeToken('relojes', { jti: 'now', until: minutesAgo(-60) });
  const user = await users.find('relojes');
  expect(user?.revokedTokens.map(({ jti }) => jti)).toEqual(['two', 'now']);
});

test('while Redis is away each process counts failures for itself', async ({ newLimits, users }) => {
  const away = new Redis({ lazyConnect: true, enableOfflineQueue: false, port: 1 });
  away.on('error', () => {});
  const [limit] = newLimits(1, 100, away);
  const login = new Login({ users, limit });
  expect(await login.check('demo', 'demo1234', '192.0.2.1')).toMatchObject({ username: 'demo' });
  for (let i = 0; i < 10; i++) {
    expect(await outcomes([login.check('demo', 'mal', '192.0.2.1')])).toEqual(['wrong']);
  }
  expect(await outcomes([login.check('demo', 'demo1234', '192.0.2.1')])).toEqual(['pair_limit']);
  away.disconnect();
});

test('under attack, users from known addresses go first', async ({ newLimits, users }) => {
  const [limit] = newLimits();
  const told: LoginAttempt[] = [];
  const queue = new HashQueue({ permits: 1 });
  const login = new Login({ users, limit, queue, onAttempt: (attempt) => told.push(attempt) });
  await login.check('demo', 'demo1234', '192.0.2.1');
  for (let i = 0; i < 3; i++) await outcomes([login.check('vecino', 'mal', '192.0.2.1')]);
  told.length = 0;
  const gate = Promise.withResolvers<void>();
  const blocked = queue.run(0, () => gate.promise);
  const knows = vi.spyOn(limit, 'knows');
  /** Waits until as many logins stand in the queue. */
  const queued = async (logins: number) => {
    await vi.waitFor(() => expect(knows).toHaveBeenCalledTimes(logins), 10_000);
    await Promise.all(knows.mock.results.map(({ value }) => value));
  };
  const find = vi.spyOn(users, 'find');
  const all = ['198.51.100.1', '198.51.100.1', '198.51.100.2', '198.51.100.3'].map((from) =>
    login.check('demo', 'mal', from),
  );
  await queued(4);
  all.push(login.check('otro', 'demo1234', '203.0.113.1'));
  await queued(5);
  all.push(login.check('demo', 'demo1234', '192.0.2.1'));
  await queued(6);
  expect(find).not.toHaveBeenCalled(); // whoever waits costs the database nothing
  gate.resolve();
  await Promise.all([blocked, outcomes(all)]);
  // Addresses take turns, and the more logins of a user are under way, the later is the next one of an unknown address.
  expect(told.map(({ username, address }) => `${username} ${address}`)).toEqual([
    'demo 192.0.2.1',
    'demo 198.51.100.1',
    'otro 203.0.113.1',
    'demo 198.51.100.2',
    'demo 198.51.100.3',
    'demo 198.51.100.1',
  ]);
  knows.mockRestore();
  find.mockRestore();
});

describe('the queue of hashes', () => {
  test('refuses the most suspicious login when too many wait', async ({}) => {
    const queue = new HashQueue({ permits: 1, maxWaiting: 2 });
    const gate = Promise.withResolvers<string>();
    const first = queue.run(0, () => gate.promise);
    const [suspicious, usual] = [queue.run(9, async () => 'suspicious'), queue.run(2, async () => 'usual')];
    const known = queue.run(1, async () => 'known');
    await expect(suspicious).rejects.toThrow('More than 2 logins wait for a hash');
    gate.resolve('first');
    expect(await Promise.all([first, usual, known])).toEqual(['first', 'usual', 'known']);
  });

  test('refuses who waits too long, and goes on', async ({}) => {
    const queue = new HashQueue({ permits: 1, timeoutMs: 1 });
    const gate = Promise.withResolvers<void>();
    const first = queue.run(0, () => gate.promise);
    await expect(queue.run(0, async () => {})).rejects.toThrow('within 1 ms');
    gate.resolve();
    await first;
    expect(await queue.run(0, async () => 'next')).toBe('next');
  });
});

test.for([
  [true, '0.0.0.0', 1],
  [true, '127.0.0.1', 0],
  [false, '0.0.0.0', 0],
] as const)('ALLOW_DEMO_USERS=%s at %s logs %i warnings', ([ALLOW_DEMO_USERS, HOST, warnings]) => {
  const messages: string[] = [];
  warnOfDemoUsers({ ALLOW_DEMO_USERS, HOST }, {
    warn: (_: object, message: string) => messages.push(message),
  } as never);
  expect(messages).toHaveLength(warnings);
});
