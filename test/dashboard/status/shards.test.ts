import { expect, onTestFinished } from 'vitest';
import { labelShards } from '#shared/contracts/label-shards.ts';
import { writeHeartbeat } from '#shared/contracts/worker-heartbeat.ts';
import { screenshot } from '#test/fixtures/browser.ts';
import { LabelJobs } from '#test/fixtures/dashboard/label-jobs.ts';
import { Visitor } from '#test/fixtures/dashboard/visitor.ts';
import { label } from '#test/fixtures/labels/labels.ts';
import { test as shardsTest } from '#test/fixtures/labels/shards.ts';

const chromium = { startedAt: Date.now() - 125_000, prints: 98, residentBytes: 4e8 };

/** The dashboard of four shards, of which 0, 1 and 3 have a worker; the labels of shard 3 wait too long. */
const test = shardsTest
  .extend('queues', { scope: 'file' }, async ({ shards, shardEnv, stores }, { onCleanup }) => {
    const settings = { REDIS_URL: stores.redisUrl, REDIS_PREFIX: stores.prefix, ...shardEnv };
    const queues = labelShards(settings).map(({ prefix }, i) => {
      const redis = shards[i]?.redis;
      if (!redis) throw new Error(`There is no shard ${i}`);
      return { redis, prefix, jobs: new LabelJobs(redis, prefix) };
    });
    onCleanup(async () => {
      await Promise.all(queues.map(({ jobs }) => jobs.close()));
    });
    for (const [i, { redis, prefix }] of queues.entries()) {
      const worker = { id: `w-${i}`, host: `worker-${i}`, pid: 7, startedAt: 1, labels: 100 * i, chromium };
      if (i !== 2) await writeHeartbeat(redis, prefix, worker);
    }
    await queues[3]?.jobs.waiting(label(), { askedAt: Date.now() - 60_000 });
    return queues;
  })
  .override('dashboard', { scope: 'file' }, ({ startDashboard, shardEnv }) => startDashboard(shardEnv))
  .extend('operator', { scope: 'file' }, ({ dashboard }) => Visitor.operator(dashboard.url));

test('the page says of every shard what is wrong, and shows one of them', async ({
  operator,
  queues,
  shards,
  browser,
}) => {
  expect(queues).toHaveLength(4);
  await shards[2]?.kill();
  onTestFinished(() => shards[2]?.revive());
  const page = async (path: string) => (await operator.page(path)).text.replace(/\s+/g, ' ');
  await expect
    .poll(() => page('/'), { timeout: 10_000 })
    .toContain('Fragmento 2: su Redis no responde, y sus etiquetas no se imprimen');
  const first = await page('/');
  expect(first).toContain('Fragmento 3: Hay etiquetas que esperan desde hace 1 min');
  expect(first).toMatch(/class="bien" aria-current="page">Fragmento 0</);
  expect(first).toContain('worker-0');
  expect(first).not.toContain('worker-3');
  const last = await page('/?fragmento=3');
  expect(last).toMatch(/class="mal" aria-current="page">Fragmento 3</);
  expect(last).toContain('worker-3');
  expect(last).toContain('href="/colas/queue/3-labels"');
  expect(await page('/?fragmento=2')).not.toContain('<h2>Cola</h2>');
  expect(await page('/?fragmento=99')).toContain('worker-0');
  const tab = await browser.newPage();
  onTestFinished(() => tab.close());
  await tab.setViewport({ width: 1200, height: 900 });
  await tab.setExtraHTTPHeaders({ cookie: operator.cookie });
  await tab.goto(`${operator.url}/?fragmento=3`);
  expect((await screenshot(tab, 'dashboard-shards')).length).toBeGreaterThan(10_000);
});

test('Bull Board has the queue of each shard that is there, and pauses that one alone', async ({
  operator,
  queues,
  shards,
}) => {
  const names = async () => {
    const { text } = await operator.send('GET', '/colas/api/queues');
    return (JSON.parse(text) as { queues: { name: string }[] }).queues.map(({ name }) => name);
  };
  const all = ['labels', '1-labels', '2-labels', '3-labels'];
  await expect.poll(names, { timeout: 10_000 }).toEqual(all);
  expect((await operator.send('PUT', '/colas/api/queues/1-labels/pause')).status).toBe(200);
  const paused = await Promise.all(queues.map(({ jobs }) => jobs.queue.isPaused()));
  expect(paused).toEqual([false, true, false, false]);
  await shards[2]?.kill();
  await expect.poll(names, { timeout: 10_000 }).toEqual(['labels', '1-labels', '3-labels']);
});
