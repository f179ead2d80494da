import { expect, onTestFinished, vi } from 'vitest';
import { AccountLimitsStore } from '#services/api/accounts/account-limits.ts';
import { accounts } from '#services/api/accounts/room.ts';
import { ensureCanaryAccount } from '#services/api/canary/ensure-account.ts';
import { newKey } from '#services/api/keys/key.ts';
import { RecentSuccesses } from '#services/api/platform/recent-successes.ts';
import { UserStore } from '#shared/accounts/user-store.ts';
import { ProcessRegistry, type ProvenAction } from '#shared/stores/process-registry.ts';
import { Client, call, minimalGuide } from '#test/fixtures/client.ts';
import { type Fate, type MongoCommand, startMongoProxy } from '#test/fixtures/mongo-proxy.ts';
import { type Running, type Settings, test as services } from '#test/fixtures/services.ts';

/** What an api tries itself when it starts (docs/contract.md "Canary"). Each test has a cell, and so a canary, of its own. */

const test = services
  .extend('makeCanary', { scope: 'file' }, ({ stores }) => async (cell: string) => {
    const secrets = { key: newKey(true), password: 'una clave larga' };
    await ensureCanaryAccount(stores.mongo, { ...secrets, cell });
  })
  /** Starts an api of a cell, to which all that is no part of the cell is there. */
  .extend(
    'startIn',
    { scope: 'file' },
    ({ startApi, webhooks }) =>
      (CELL: string, settings: Settings = {}) =>
        startApi({ CELL, WEBHOOKS_URL: webhooks.url, ...settings }),
  )
  /** Starts an api whose creations fail as long as `fate` says so. */
  .extend('startBad', { scope: 'file' }, ({ stores, startIn }, { onCleanup }) => {
    const proxies: Awaited<ReturnType<typeof startMongoProxy>>[] = [];
    onCleanup(async () => {
      await Promise.all(proxies.map((proxy) => proxy.close()));
    });
    return async (cell: string, fate: () => Fate | Promise<Fate>) => {
      const creates = (command: MongoCommand) => command.insert === 'guides';
      const proxy = await startMongoProxy(stores.mongoUri, (command) => (creates(command) ? fate() : 'done'));
      proxies.push(proxy);
      return startIn(cell, { MONGODB_URI: proxy.uri });
    };
  })
  /** Writes that another process of a cell completes these actions. @returns what stops it. */
  .extend(
    'anotherSucceeds',
    { scope: 'file' },
    ({ stores }) =>
      async (cell: string, ...proven: ProvenAction[]) => {
        const registry = new ProcessRegistry(stores.mongo, cell);
        const write = () => registry.write({ id: 'another', service: 'api', host: 'otra', pid: 1, proven });
        await write();
        const timer = setInterval(write, 1_000);
        return () => clearInterval(timer);
      },
  );

async function health({ url }: Running) {
  const { status, body } = await call(`${url}/health/ready`);
  const { 'self-test': selfTest, status: words } = body as Record<string, string>;
  return [status, words, selfTest];
}

const until = (running: Running, state: [number, string, string]) =>
  expect.poll(() => health(running), { timeout: 60_000 }).toEqual(state);

/** Failed steps are tried again after 5 s, and other processes are believed for some seconds. */
const LONG = { timeout: 180_000 };
const OK: [number, string, string] = [200, 'ok', 'ok'];
const DEGRADED: [number, string, string] = [200, 'degraded', 'down'];
const DOWN: [number, string, string] = [503, 'down', 'down'];

test(
  'without a printer anywhere all are ready and degraded, and none leaves when one comes',
  LONG,
  async ({ stores, makeCanary, startIn, startLabelWorker }) => {
    // A process of 1.9.0, of which nobody knows what it completes.
    const former = new ProcessRegistry(stores.mongo, 'nueva');
    await former.write({ id: 'former', service: 'api', host: 'otra', pid: 1, seesWorkers: true });
    await makeCanary('nueva');
    const apis = [await startIn('nueva'), await startIn('nueva')];
    for (const api of apis) await until(api, DEGRADED);

    await startLabelWorker();
    const seen = new Set<unknown>();
    await vi.waitFor(
      async () => {
        const states = await Promise.all(apis.map(health));
        for (const [status] of states) seen.add(status);
        expect(states).toEqual([OK, OK]);
      },
      { timeout: 60_000, interval: 100 },
    );
    expect([...seen]).toEqual([200]);
  },
);

test(
  'one of three that cannot create is not ready while the others can, and is once it can',
  LONG,
  async ({ stores, labelWorker: _, makeCanary, startIn, startBad }) => {
    await makeCanary('tres');
    const good = [await startIn('tres'), await startIn('tres')];
    for (const api of good) await until(api, OK);
    const able = { cell: 'tres', proven: { $all: ['create', 'print'] } };
    const processes = stores.mongo.collection('processes');
    await expect.poll(() => processes.countDocuments(able)).toBe(2);
    const made = stores.mongo.collection('guides').find({ account: 'guardia-cliente-tres' });
    const senders = (await made.toArray()).map(({ guide }) => guide.Remitente);
    expect(senders).toEqual([{ Nombre: 'Cliente de prueba' }, { Nombre: 'Cliente de prueba' }]);
    let fate: Fate = 'not allowed';
    const bad = await startBad('tres', () => fate);
    await until(bad, DOWN);
    expect(await Promise.all(good.map(health))).toEqual([OK, OK]);

    fate = 'done';
    await until(bad, OK);
  },
);

test(
  'one that cannot create is ready and degraded as soon as no other can',
  LONG,
  async ({ anotherSucceeds, makeCanary, startBad }) => {
    const stop = await anotherSucceeds('sola', 'create', 'print');
    await makeCanary('sola');
    const bad = await startBad('sola', () => 'not allowed');
    await until(bad, DOWN);
    stop();
    await until(bad, DEGRADED);
  },
);

test('a process is not ready before its test is over, where another is', async ({
  anotherSucceeds,
  makeCanary,
  startBad,
}) => {
  const { promise: released, resolve: release } = Promise.withResolvers<Fate>();
  const stop = await anotherSucceeds('lenta', 'create', 'print');
  await makeCanary('lenta');
  const slow = await startBad('lenta', () => released);
  await until(slow, DOWN);
  release('done');
  await until(slow, OK);
  stop();
});

test.for<[what: string, change: (users: UserStore, limits: AccountLimitsStore) => Promise<unknown>]>([
  ['ended', (users) => users.set('guardia-cliente-cuenta', { disabled: true })],
  ['limited', (_, limits) => limits.set('guardia-cliente-cuenta', { requestsBurst: 1 })],
  ['bound to quotes', (_, limits) => limits.set('guardia-cliente-cuenta', { unquotedGuides: 'refuse' })],
  ['without its permissions', (users) => users.revoke('guardia-cliente-cuenta', ['guias.create'])],
])(
  'an account that is %s stops no rollout',
  async ([, change], { stores, labelWorker: _, anotherSucceeds, makeCanary, startIn }) => {
    const stop = await anotherSucceeds('cuenta', 'create', 'print');
    await makeCanary('cuenta');
    await change(new UserStore(stores.mongo), new AccountLimitsStore(stores.mongo));
    const api = await startIn('cuenta');
    await until(api, OK);
    stop();
  },
);

test('where no branch is a destination yet, there is nothing to test', async ({
  labelWorker: _,
  anotherSucceeds,
  makeCanary,
  startBranches,
  startIn,
  stores,
}) => {
  const empty = await startBranches({ MONGODB_URI: `${stores.mongoUri}-empty` });
  const stop = await anotherSucceeds('vacia', 'create', 'print');
  await makeCanary('vacia');
  await until(await startIn('vacia', { BRANCHES_URL: empty.url }), OK);
  stop();
});

test('without the canary of its cell a process tests nothing', async ({
  anotherSucceeds,
  startIn,
  stores,
}) => {
  const stop = await anotherSucceeds('sin-guardia', 'create', 'print');
  expect(await health(await startIn('sin-guardia'))).toEqual(OK);
  expect(
    await stores.mongo.collection('guides').countDocuments({ account: 'guardia-cliente-sin-guardia' }),
  ).toBe(0);
  stop();
});

test('what a process completed is told for 45 s, and to others alone', async ({ stores }) => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const successes = new RecentSuccesses();
  successes.note('create');
  vi.advanceTimersByTime(44_000);
  expect(successes.recent()).toEqual(['create']);

  const [own, other] = ['propia', 'propia'].map((cell) => new ProcessRegistry(stores.mongo, cell));
  await own?.write({ id: 'own', service: 'api', host: 'esta', pid: 1, proven: successes.recent() });
  expect([await own?.othersSucceed('create'), await other?.othersSucceed('create')]).toEqual([false, true]);
  expect(await other?.othersSucceed('print')).toBe(false);
  vi.advanceTimersByTime(1_000);
  expect(successes.recent()).toEqual([]);
});

test('a label from the cache is no print: without printers it would stop a rollout', async ({
  labelWorker: _,
  startIn,
}) => {
  const [printing, reading] = [await startIn('cache'), await startIn('cache')];
  const demo = await Client.login(printing.url);
  const [guide] = await demo.created(minimalGuide());
  const path = `/api/guias/etiqueta/${guide?.SEND_GUIA}`;
  for (const { url } of [printing, reading])
    expect((await new Client(url, demo.token).pdf(path)).status).toBe(200);
  expect([printing, reading].map(({ contextOf }) => contextOf(accounts).recentSuccesses.recent())).toEqual([
    ['create', 'print'],
    [],
  ]);
});
