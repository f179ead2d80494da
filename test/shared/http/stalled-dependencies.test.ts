import { expect } from 'vitest';
import { startProxy } from '#test/faults/system/proxy.ts';
import { test as services } from '#test/fixtures/services.ts';
import type { Stores } from '#test/fixtures/stores.ts';

const PAGES = ['/health/live', '/health/ready', '/metrics'];
/** Longest wait for a page, in ms: a second for what hangs, the rest for a machine that others use too. */
const BOUND_MS = 3_000;

/** Tests with the services behind proxies, each of which can hold all data of a dependency and keep its connections open. */
const test = services.extend(
  'proxied',
  { scope: 'file' },
  async ({ stores, startBranches, startApi, startLabelWorker, startDashboard }, { onCleanup }) => {
    const portOf = (url: string) => Number(new URL(url).port);
    const redis = await startProxy(() => portOf(stores.redisUrl));
    const mongodb = await startProxy(() => portOf(stores.mongoUri));
    const settings = (name: keyof Stores['redisUrls']) => ({
      REDIS_URL: Object.assign(new URL(stores.redisUrls[name]), { port: redis.port }).href,
      MONGODB_URI: Object.assign(new URL(stores.mongoUri), { port: mongodb.port }).href,
    });
    const branchesService = await startBranches(settings('branches'));
    const branches = await startProxy(() => portOf(branchesService.url));
    onCleanup(async () => {
      for (const proxy of [redis, mongodb, branches]) await proxy.close();
    });
    const branchesUrl = `http://127.0.0.1:${branches.port}`;
    const services = [
      await startApi({ ...settings('api'), BRANCHES_URL: branchesUrl }),
      branchesService,
      await startLabelWorker(settings('label-worker')),
      await startDashboard(settings('dashboard')),
    ];
    return { proxies: { redis, mongodb, branches }, urls: services.map(({ url }) => url) };
  },
);

// All of them at once: a page that one of them holds up is held up then too.
test('while dependencies hang, probes and scrapes are answered', async ({ proxied: { proxies, urls } }) => {
  const ask = async (page: string) => {
    const began = performance.now();
    const { status } = await fetch(page);
    return { page, status, late: performance.now() - began > BOUND_MS };
  };
  const pages = urls.flatMap((url) => PAGES.map((path) => url + path));
  const statuses = async () => (await Promise.all(pages.map(ask))).map(({ status }) => status);
  await expect.poll(statuses).toEqual(pages.map(() => 200));
  const thaws = Object.values(proxies).map((proxy) => proxy.freeze());
  // Longer than until connections are taken for dead and opened anew.
  const end = performance.now() + 5_000;
  const answers = [];
  while (performance.now() < end) answers.push(...(await Promise.all(pages.map(ask))));
  for (const thaw of thaws) thaw();
  expect(answers.filter(({ late, status }) => late || status !== 200)).toEqual([]);
});
