import { describe, expect, onTestFinished } from 'vitest';
import { newKey } from '#services/api/keys/key.ts';
import { UserStore } from '#shared/accounts/user-store.ts';
import { AuditStore } from '#shared/audit/audit-store.ts';
import { type Answer, Client } from '#test/fixtures/client.ts';
import { type Fate, startMongoProxy } from '#test/fixtures/mongo-proxy.ts';
import { userMaker } from '#test/fixtures/new-user.ts';
import { test as services } from '#test/fixtures/services.ts';
import { recordCommands } from '#test/security/privilege/mongo-commands.ts';

/** Keys that are wrong, and how many of them an address may send (docs/contract.md "Keys"). */

const PASSWORD = 'una contrasena de prueba 1';
const PER_ADDRESS = 20;
const outcome = ({ status, body }: Answer) => [status, body.codigo];
const REFUSED = [401, 'acceso_denegado'];
const LIMITED = [429, 'demasiados_intentos'];
/** What most of a burst get until the first are known to be wrong. */
const BUSY = [503, 'saturado'];

let addresses = 0;
const test = services
  .override('settings', { LOGIN_FAILURES_PER_ADDRESS: String(PER_ADDRESS), TRUST_PROXY: '127.0.0.1' })
  .extend('key', { scope: 'file' }, async ({ api, stores }) => {
    await (await userMaker(new UserStore(stores.mongo), PASSWORD))('con-llave');
    const { body } = await (await Client.login(api.url, 'con-llave', PASSWORD)).post('/api/llaves', {
      Nombre: 'tienda',
    });
    return (body.data as { Llave: string }).Llave;
  })
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
  );

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

  test('is limited to ten times, on all processes, and is in the trail', async ({
    address,
    show,
    startApi,
    stores,
  }) => {
    const wrong = newKey(false);
    for (let i = 0; i < 10; i++) expect(await show(wrong)).toEqual(REFUSED);
    expect(await show(wrong)).toEqual(LIMITED);
    const { url } = await startApi();
    expect(await show(wrong, url)).toEqual(REFUSED); // by which this process learns of the others
    expect(await show(wrong, url)).toEqual(LIMITED);
    const trail = () => new AuditStore(stores.mongo).find({ address, action: 'login.locked' }, 10);
    await expect.poll(trail).not.toEqual([]);
    expect(await trail()).toContainEqual(
      expect.objectContaining({ actor: 'unknown', details: { reason: 'pair_limit', credential: 'key' } }),
    );
  });
});

describe('a flood of wrong keys', () => {
  const COUNT = 1_000;
  const AT_ONCE = 200;
  /** Each is good for five seconds. */
  const READS_OF_THE_RIGHT = 20;

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
      while (left-- > 0) {
        outcomes.add(String(await show(newKey(false), url)));
        if (left % 50 > 0) continue;
        right++;
        expect(await show(key, url)).toEqual([200, undefined]);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, flood));
    expect(right).toBeGreaterThan(COUNT / 50 - 2);
    expect([...outcomes]).toEqual(expect.arrayContaining([REFUSED, LIMITED, BUSY].map(String)));
    expect([...outcomes].join()).not.toContain('200');
    const reads = commands.filter(({ find }) => find === 'keys');
    expect(reads.length).toBeLessThan(4 * PER_ADDRESS + READS_OF_THE_RIGHT);
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
