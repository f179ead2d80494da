import { expect } from 'vitest';
import { BRANCHES, COVERAGE } from '#local/demo-data.ts';
import { stampOf } from '#services/branches/branch-cache.ts';
import { run } from '#services/branches/cli.ts';
import { BranchStore } from '#shared/branches/branch-store.ts';
import { aliveServices } from '#shared/stores/heartbeat.ts';
import { call, minimalGuide } from '#test/fixtures/client.ts';
import { runCommand } from '#test/fixtures/operators/command.ts';
import { passTime } from '#test/fixtures/pass-time.ts';
import { test as services } from '#test/fixtures/services.ts';

/** A database that has fewer branches or postal codes than were loaded, as after half a restore. */

const SOON = { timeout: 30_000, interval: 50 };
/** Of the lookups that count the rows. */
const COUNT_MS = 10_000;

const test = services
  .extend('store', { scope: 'file' }, ({ stores }) => new BranchStore(stores.mongo))
  .extend('cacheKey', { scope: 'file' }, ({ stores }) => `${stores.prefix}:branches`)
  /** Deletes all rows of a collection. @returns what puts them back. */
  .extend('lose', { scope: 'file' }, ({ stores }) => async (name: 'branches' | 'coverage') => {
    const rows = stores.mongo.collection(name);
    const lost = await rows.find().toArray();
    await rows.deleteMany({});
    return () => rows.insertMany(lost);
  })
  /** Returns the status and `codigo` of a new guide. */
  .extend('create', { scope: 'file' }, ({ demo }) => async () => {
    const { status, body } = await demo.create([minimalGuide()]);
    return [status, body.codigo];
  })
  .extend('directory', { scope: 'file' }, ({ branches }) => async () => {
    const { status, body } = await call(`${branches.url}/health/ready`);
    const { status: overall, directory } = body as Record<string, unknown>;
    return [status, overall, directory];
  });

test.beforeEach(async ({ store, stores, cacheKey, branches }) => {
  await store.loadBranches(BRANCHES);
  await store.loadCoverage(COVERAGE);
  const stamp = stampOf(await store.directory());
  await expect.poll(() => stores.redis.hget(cacheKey, 'version:rows'), SOON).toBe(stamp);
  expect((await call(`${branches.url}/health/ready`)).status).toBe(200);
});

test.for(['branches', 'coverage'] as const)(
  'lost %s are 503 until they are back, and nothing is restarted',
  async (name, { stores, lose, create, directory, cacheKey }) => {
    await expect.poll(directory, SOON).toEqual([200, 'ok', 'ok']);
    const putBack = await lose(name);
    await stores.redis.del(cacheKey);
    await expect.poll(directory, SOON).toEqual([200, 'degraded', 'down']);
    passTime(COUNT_MS); // what an api was told until then holds no longer
    expect(await create()).toEqual([503, 'servicio_no_disponible']);
    expect(await stores.redis.exists(cacheKey)).toBe(0);
    await putBack();
    await expect.poll(create, SOON).toEqual([200, undefined]);
    await expect.poll(directory, SOON).toEqual([200, 'ok', 'ok']);
  },
);

test('rows that are lost while the cache has them are told, and answered', async ({
  stores,
  lose,
  create,
  directory,
}) => {
  const putBack = await lose('coverage');
  expect(await directory()).toEqual([200, 'ok', 'ok']);
  passTime(COUNT_MS);
  await expect.poll(directory, SOON).toEqual([200, 'degraded', 'down']);
  expect(await create()).toEqual([200, undefined]);
  const told = async () =>
    (await aliveServices(stores.redis, stores.prefix)).find(({ directory }) => directory)?.directory;
  const { length: rows } = COVERAGE;
  await expect.poll(told, SOON).toMatchObject({
    branches: { found: BRANCHES.length, rows: BRANCHES.length },
    coverage: { found: 0, rows },
  });
  const at = (await told())?.coverage?.at ?? 0;
  expect(Math.abs(Date.now() - at)).toBeLessThan(600_000);
  await putBack();
  await expect.poll(directory, SOON).toEqual([200, 'ok', 'ok']);
});

test('a load of 1.8.0, which has not counted its rows, has lost them if there are none', async ({
  stores,
  lose,
  create,
  directory,
  cacheKey,
}) => {
  const generations = stores.mongo.collection<{ _id: string }>('generations');
  await generations.updateOne({ _id: 'current' }, { $unset: { branchesLoad: 1, coverageLoad: 1 } });
  passTime(COUNT_MS);
  expect(await directory()).toEqual([200, 'ok', 'ok']);
  const putBack = await lose('branches');
  await stores.redis.del(cacheKey);
  await expect.poll(directory, SOON).toEqual([200, 'degraded', 'down']);
  passTime(COUNT_MS);
  expect(await create()).toEqual([503, 'servicio_no_disponible']);
  await putBack();
  await expect.poll(create, SOON).toEqual([200, undefined]);
});

test('an export writes the rows that are left, and fails with how many are missing', async ({
  store,
  stores,
}) => {
  const coverage = () => runCommand(run, ['coverage', 'export'], { env: { MONGODB_URI: stores.mongoUri } });
  const { code, out: whole, err } = await coverage();
  expect({ code, err }).toEqual({ code: 0, err: '' });
  const lines = whole.trimEnd().split('\n').slice(1);
  const postalCode = lines[0]?.split(',')[0];
  const generation = Number((await store.version()).split('.')[1]);
  await stores.mongo.collection('coverage').deleteOne({ generation, postalCode });
  const left = lines.length - 1;
  expect(await coverage()).toEqual({
    code: 1,
    out: whole.replace(`${lines[0]}\n`, ''),
    err: `La exportacion esta incompleta: la base de datos tiene ${left} de ${lines.length} filas cargadas. Restaurela, o cargue el archivo completo\n`,
  });
});

test('a directory that was never loaded is ready', async ({ stores, startBranches }) => {
  await stores.mongo.collection('generations').deleteMany({});
  const { url } = await startBranches();
  const { status, body } = await call(`${url}/health/ready`);
  expect([status, body]).toMatchObject([200, { status: 'ok', directory: 'ok' }]);
});
