import { describe, expect, onTestFinished, vi } from 'vitest';
import { digestOf, newKey } from '#services/api/keys/key.ts';
import { KeyStore } from '#services/api/keys/key-store.ts';
import { LoginLimit, loginKeys } from '#shared/accounts/login-limit.ts';
import { UserStore } from '#shared/accounts/user-store.ts';
import { AuditStore } from '#shared/audit/audit-store.ts';
import { KEYS } from '#shared/keys/key-model.ts';
import { modelOf } from '#shared/stores/collection.ts';
import { type Answer, Client, logIn } from '#test/fixtures/client.ts';
import { type Fate, startMongoProxy } from '#test/fixtures/mongo-proxy.ts';
import { userMaker } from '#test/fixtures/new-user.ts';
import { passTime } from '#test/fixtures/pass-time.ts';
import { test as services } from '#test/fixtures/services.ts';
import type { Stores } from '#test/fixtures/stores.ts';
import { recordCommands } from '#test/security/privilege/mongo-commands.ts';

/** Keys that are wrong, and how many of them an address may send (docs/contract.md "Keys"). */

const PASSWORD = 'una contrasena de prueba 1';
const PER_ADDRESS = 20;
const outcome = ({ status, body }: Answer) => [status, body.codigo];
const REFUSED = [401, 'acceso_denegado'];
const LIMITED = [429, 'demasiados_intentos'];
/** What most of a burst get until the first are known to be wrong. */
const BUSY = [503, 'saturado'];
/** What a key gets that cannot be looked up. */
const AWAY = [503, 'servicio_no_disponible'];
/** What a program gets that shows one wrong key again and again. */
const TEN_TIMES = [...Array(10).fill(REFUSED), ...Array(PER_ADDRESS).fill(LIMITED)];
/** Age at which a process reads a key or a user again, in ms. */
const FRESH_MS = 5_000;
const WINDOW_MS = 900_000;
/** How long a process relies on Redis having an address of a key. */
const NOTED_MS = 3_600_000;

let addresses = 0;
const test = services
  .extend('settings', { LOGIN_FAILURES_PER_ADDRESS: String(PER_ADDRESS), TRUST_PROXY: '127.0.0.1' })
  /** Makes a key of a new user. */
  .extend('makeKey', { scope: 'file' }, async ({ api, stores }) => {
    const makeUser = await userMaker(new UserStore(stores.mongo), PASSWORD);
    return async (username: string) => {
      await makeUser(username);
      return (await Client.login(api.url, username, PASSWORD)).newKey();
    };
  })
  .extend('key', { scope: 'file' }, ({ makeKey }) => makeKey('con-llave'))
  /** An api that has just started, and whose look-ups of keys MongoDB answers once it is told to. */
  .extend('slowApi', async ({ startApi, stores }, { onCleanup }) => {
    const told = Promise.withResolvers<Fate>();
    const answer = () => told.resolve('done');
    let lookUps = 0;
    const proxy = await startMongoProxy(stores.mongoUri, (command) => {
      if (command.find !== 'keys') return 'done';
      lookUps++;
      return told.promise;
    });
    const { url, server } = await startApi({ MONGODB_URI: proxy.uri });
    onCleanup(async () => {
      answer();
      await server.close();
      await proxy.close();
    });
    return { url, server, answer, lookUps: () => lookUps };
  })
  /** An address that nobody else has. */
  .extend('address', () => `203.0.113.${++addresses}`)
  /** Shows a key from the test's address. */
  .extend(
    'show',
    ({ address, api }) =>
      async (key: string, url = api.url) =>
        outcome(await new Client(url, key).get('/api/auth/validate', { 'x-forwarded-for': address })),
  )
  /** Returns what the trail has of wrong keys from the test's address, the oldest first, once their limit is in it. */
  .extend('trail', ({ address, stores }) => async () => {
    const found = () => new AuditStore(stores.mongo).find({ address, user: 'unknown' }, 100);
    await expect.poll(async () => (await found()).map(({ action }) => action)).toContain('login.locked');
    return (await found())
      .map(({ action, details }) => [action, details?.reason, details?.credential])
      .reverse();
  })
  /** Returns the status of a right login from the test's address, of another account than the keys'. */
  .extend(
    'neighbour',
    ({ address, api }) =>
      async () =>
        (await logIn(api.url, 'demo', 'demo1234', address)).status,
  );

/** The trail of one wrong key, however often it comes. */
const TRAIL_OF_ONE = [
  ['login', 'wrong', 'key'],
  ['login.locked', 'pair_limit', 'key'],
];

describe('a wrong key', () => {
  test('is refused, in whatever place it was altered', async ({ key, show }) => {
    for (const wrong of [
      newKey(false),
      key.toUpperCase(),
      key.slice(0, -1),
      `${key}a`,
      key.replace('live', 'test'),
      key.replace('gk_', 'gk_gk_'),
      'gk_',
    ]) {
      expect(await show(wrong)).toEqual(REFUSED);
    }
    expect(await show(key)).toEqual([200, undefined]);
  });

  test('that was mistyped counts for nothing', async ({ key, show }) => {
    for (let i = 0; i <= PER_ADDRESS; i++) expect(await show(`${key.slice(0, -1)}-`)).toEqual(REFUSED);
    expect(await show(newKey(false))).toEqual(REFUSED);
  });

  test('is limited to ten times in 15 minutes, on all processes, and is in the trail once', async ({
    neighbour,
    show,
    startApi,
    stores,
    trail,
  }) => {
    const wrong = newKey(false);
    for (const expected of TEN_TIMES.slice(0, 11)) expect(await show(wrong)).toEqual(expected);
    expect(await trail()).toEqual(TRAIL_OF_ONE);
    const { url } = await startApi();
    expect(await show(wrong, url)).toEqual(REFUSED); // by which this process learns of the others
    expect(await show(wrong, url)).toEqual(LIMITED);
    expect(await neighbour()).toBe(200);

    await stores.redis.del(await stores.redis.keys(`${stores.prefix}:login-*`));
    passTime(WINDOW_MS);
    expect(await show(wrong)).toEqual(REFUSED);
  });

  test('counts once for its address, however often it comes', async ({ neighbour, show, trail }) => {
    const wrong = [newKey(false), newKey(false), newKey(false)];
    for (const each of wrong) {
      for (const expected of TEN_TIMES.slice(0, 11)) expect(await show(each)).toEqual(expected);
    }
    expect(await neighbour()).toBe(200);
    const reasons = (await trail()).map(([, reason]) => reason);
    expect(reasons.filter((reason) => reason === 'wrong')).toHaveLength(wrong.length);
  });

  test('that comes many times at once is looked up once, counts once for its address, and ten times for itself', async ({
    neighbour,
    show,
    slowApi: { url, server, lookUps, answer },
    trail,
  }) => {
    const wrong = newKey(false);
    let arrived = 0;
    server.server.on('request', () => arrived++);
    const outcomes = Promise.all(TEN_TIMES.map(() => show(wrong, url)));
    await expect.poll(() => arrived).toBe(TEN_TIMES.length);
    await expect.poll(lookUps).toBe(1);
    answer();
    expect((await outcomes).sort()).toEqual(TEN_TIMES);
    expect(lookUps()).toBe(1);
    expect(await trail()).toEqual(TRAIL_OF_ONE);
    expect(await neighbour()).toBe(200);
  });
});

describe('a key that has ended', () => {
  const keysOf = (username: string, { mongo }: Stores) => new KeyStore(mongo).list(username);

  test.for<[string, (username: string, stores: Stores) => Promise<unknown>]>([
    [
      'by DELETE',
      async (username, stores) => {
        for (const { id } of await keysOf(username, stores))
          await new KeyStore(stores.mongo).end(username, id);
      },
    ],
    [
      'by its date',
      (username, { mongo }) => modelOf(mongo, KEYS).updateMany({ username }, { expiresAt: new Date(0) }),
    ],
    [
      'with its user, by a command that was interrupted',
      (username, { mongo }) => new UserStore(mongo).set(username, { disabled: true }),
    ],
  ])(
    '%s is limited as a wrong one, and locks nobody out of its address',
    async ([, end], { address, key, makeKey, neighbour, show, startApi, stores, trail }) => {
      const username = `sin-llave-${address}`;
      const ended = await makeKey(username);
      expect(await show(ended)).toEqual([200, undefined]);
      await end(username, stores);
      passTime(FRESH_MS);
      // Its program has many requests under way, and goes on.
      expect((await Promise.all(TEN_TIMES.map(() => show(ended)))).sort()).toEqual(TEN_TIMES);
      expect(await show(ended)).toEqual(LIMITED);
      expect(await trail()).toEqual(TRAIL_OF_ONE);

      const { url } = await startApi();
      expect(await show(ended, url)).toEqual(REFUSED);
      expect(await show(ended, url)).toEqual(LIMITED);
      expect(await stores.redis.keys(`${stores.prefix}:login-address:${address}`)).toEqual([]);
      expect(await neighbour()).toBe(200);
      expect(await show(key)).toEqual([200, undefined]);
    },
  );
});

describe('a flood of wrong keys', () => {
  const COUNT = 200;
  const AT_ONCE = 100;

  test('costs MongoDB next to nothing, and stops no right key of its address', { timeout: 180_000 }, async ({
    key,
    show,
    startApi,
    stores,
  }) => {
    const { uri, commands, close } = await recordCommands(stores.mongoUri);
    const { url, server } = await startApi({ MONGODB_URI: uri });
    onTestFinished(async () => {
      await server.close();
      await close();
    });
    expect(await show(key, url)).toEqual([200, undefined]);
    commands.length = 0;
    const outcomes = new Set<string>();
    let left = COUNT;
    let right = 0;
    const flood = async () => {
      for (let place = left--; place > 0; place = left--) {
        outcomes.add(String(await show(newKey(false), url)));
        if (place % 50 > 0) continue;
        right++;
        expect(await show(key, url)).toEqual([200, undefined]);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, flood));
    expect(right).toBe(COUNT / 50);
    expect([...outcomes]).toEqual(expect.arrayContaining([REFUSED, LIMITED, BUSY].map(String)));
    expect([...outcomes].join()).not.toContain('200');
    const lookedUp = commands.flatMap(({ find, filter }) =>
      find === 'keys' ? [(filter as { digest: string }).digest] : [],
    );
    expect(lookedUp.filter((digest) => digest !== digestOf(key))).toHaveLength(PER_ADDRESS);
  });

  test('stops no right key that another process has seen from its address, nor one from elsewhere', async ({
    api,
    key,
    show,
    startApi,
  }) => {
    expect(await show(key)).toEqual([200, undefined]);
    const { url } = await startApi();
    while (String(await show(newKey(false), url)) !== String(LIMITED));
    expect(await show(key, url)).toEqual([200, undefined]);
    const elsewhere = { 'x-forwarded-for': '198.51.100.1' };
    for (const each of [url, api.url])
      expect((await new Client(each, key).get('/api/auth/validate', elsewhere)).status).toBe(200);
  });

  test('stops no right key whose address Redis has lost meanwhile', async ({
    address,
    key,
    show,
    stores,
  }) => {
    const { user, pair } = loginKeys(digestOf(key), address);
    const known = `${stores.prefix}:login-known:${user}`;
    const addresses = () => stores.redis.zrange(known, 0, '-1');
    expect(await show(key)).toEqual([200, undefined]);
    await expect.poll(addresses).toContain(pair);
    await stores.redis.del(known);
    passTime(NOTED_MS);
    expect(await show(key)).toEqual([200, undefined]);
    await expect.poll(addresses).toContain(pair);
  });

  test('stops no right key whose address Redis did not take at first', async ({
    address,
    key,
    show,
    stores,
  }) => {
    const { user, pair } = loginKeys(digestOf(key), address);
    const addresses = () => stores.redis.zrange(`${stores.prefix}:login-known:${user}`, 0, '-1');
    const refused = vi.spyOn(LoginLimit.prototype, 'succeed').mockResolvedValueOnce(false);
    expect(await show(key)).toEqual([200, undefined]);
    await expect.poll(() => refused.mock.settledResults).toHaveLength(1);
    expect(await show(key)).toEqual([200, undefined]);
    await expect.poll(addresses).toContain(pair);
  });

  test('stops no right key that another process has seen from its address, also while too many are looked up', async ({
    key,
    show,
    slowApi: { url, lookUps, answer },
  }) => {
    expect(await show(key)).toEqual([200, undefined]);
    const wrong = Array.from({ length: PER_ADDRESS }, () => show(newKey(false), url));
    await expect.poll(lookUps).toBe(PER_ADDRESS);
    expect(await show(newKey(false), url)).toEqual(BUSY);
    const right = show(key, url);
    await Promise.race([right, expect.poll(lookUps).toBe(PER_ADDRESS + 1)]);
    answer();
    expect(await right).toEqual([200, undefined]);
    expect(await Promise.all(wrong)).toEqual(wrong.map(() => REFUSED));
  });

  test('takes no place once MongoDB is back that was away for it', async ({
    key,
    show,
    startApi,
    stores,
  }) => {
    let isAway = true;
    const proxy = await startMongoProxy(stores.mongoUri, ({ find }) =>
      isAway && find === 'keys' ? 'never done' : 'done',
    );
    const { url, server } = await startApi({ MONGODB_URI: proxy.uri });
    onTestFinished(async () => {
      await server.close();
      await proxy.close();
    });
    const unknown = Array.from({ length: PER_ADDRESS }, () => show(newKey(false), url));
    expect(new Set((await Promise.all(unknown)).map(String))).toEqual(new Set([String(AWAY)]));
    isAway = false;
    await expect.poll(() => show(key, url)).toEqual([200, undefined]);
  });

  test('refuses a right key that comes from its address for the first time', async ({
    key,
    show,
    startApi,
  }) => {
    const { url } = await startApi();
    while (String(await show(newKey(false), url)) !== String(LIMITED));
    expect(await show(key, url)).toEqual(LIMITED);
  });
});

test('many requests at once with a right key are one look-up of a process that has just started', async ({
  key,
  show,
  slowApi: { url, server, lookUps, answer },
}) => {
  const all = 5 * PER_ADDRESS;
  let arrived = 0;
  server.server.on('request', () => arrived++);
  const outcomes = Promise.all(Array.from({ length: all }, () => show(key, url)));
  await expect.poll(() => arrived).toBe(all);
  expect(lookUps()).toBe(1);
  answer();
  expect(new Set((await outcomes).map(String))).toEqual(new Set(['200,']));
});
