import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { expect, onTestFinished } from 'vitest';
import { startRedis } from '#local/programs/redis.ts';
import { LABEL_QUEUE } from '#shared/printing/label-job.ts';
import { Client, minimalGuide } from '#test/fixtures/client.ts';
import { pretendPrinter } from '#test/fixtures/labels/pretended-worker.ts';
import { test as services } from '#test/fixtures/services.ts';

/** A Redis of the labels that answers and refuses to write, or keeps nothing. */

const LABELS = 20;

const test = services
  .extend('labelCache', { scope: 'file' }, async ({ folder }, { onCleanup }) => {
    const server = await startRedis({ folder, durable: false, log: () => {} });
    const redis = new Redis(server.url);
    onCleanup(async () => {
      redis.disconnect();
      await server.close();
    });
    return { url: server.url, redis };
  })
  .extend('queue', { scope: 'file' }, ({ stores }, { onCleanup }) => {
    const queue = new Queue(LABEL_QUEUE, { connection: stores.redis, prefix: stores.prefix });
    onCleanup(() => queue.close());
    return queue;
  })
  .extend('countJobs', ({ queue }) => async () => {
    const counts = await queue.getJobCounts();
    return Object.values(counts).reduce((sum, count) => sum + count, 0);
  });

test.for([
  [
    'is full with noeviction, as is the default of Redis',
    async (redis: Redis) => {
      await redis.config('SET', 'maxmemory-policy', 'noeviction');
      await redis.config('SET', 'maxmemory', '1');
    },
    (redis: Redis) => redis.config('SET', 'maxmemory', '256mb'),
  ],
  [
    'has become a replica',
    (redis: Redis) => redis.replicaof('127.0.0.1', 1),
    (redis: Redis) => redis.replicaof('NO', 'ONE'),
  ],
] as const)(
  'while it %s, a label is one job at most and 503 at once, and is printed as soon as it takes writes',
  async ([, refuseWrites, takeWrites], { countJobs, labelCache, startApi, startLabelWorker }) => {
    const LABEL_CACHE_URL = labelCache.url;
    // At its time limit a label would be 500.
    const api = await startApi({ LABEL_CACHE_URL }, { label: 30_000 });
    const worker = await startLabelWorker({ LABEL_CACHE_URL });
    onTestFinished(() => worker.server.close()); // or it would print for the next test
    const demo = await Client.login(api.url);
    const guides = await demo.created(...Array.from({ length: 1 + LABELS }, () => minimalGuide()));
    const [printed = '', ...paths] = guides.map(({ SEND_GUIA }) => `/api/guias/etiqueta/${SEND_GUIA}`);
    expect((await demo.pdf(printed)).status).toBe(200);

    await refuseWrites(labelCache.redis);
    const jobs = await countJobs();
    const answers = await Promise.all(paths.map((path) => demo.get(path)));
    for (const { status, headers, body } of answers) {
      expect([status, body.codigo]).toEqual([503, 'servicio_no_disponible']);
      expect(headers.get('retry-after')).toBe('2');
    }
    // A request that comes while the api connects anew adds none.
    const added = (await countJobs()) - jobs;
    expect(added).toBeGreaterThan(0);
    expect(added).toBeLessThanOrEqual(LABELS);
    await expect.poll(async () => (await demo.pdf(printed)).status).toBe(200); // what it has it still gives

    await takeWrites(labelCache.redis);
    for (const path of paths) await expect.poll(async () => (await demo.pdf(path)).status).toBe(200);
  },
);

test('a label that is evicted again and again is then 503', async ({ countJobs, startApi, stores }) => {
  const evicting = stores.cache.duplicate();
  evicting.defineCommand = () => {};
  // It is gone already.
  evicting.storeLabel = async (_key, _bytes, _ttl, channel, news) => {
    await evicting.publish(channel, news);
    return null;
  };
  let prints = 0;
  const end = await pretendPrinter({ ...stores, cache: evicting }, async () =>
    Buffer.from(`%PDF-1.4 ${++prints}`),
  );
  const demo = await Client.login((await startApi()).url);
  const [guide] = await demo.created(minimalGuide());
  const jobs = await countJobs();
  const { status, body } = await demo.get(`/api/guias/etiqueta/${guide?.SEND_GUIA}`);
  expect([status, body.codigo]).toEqual([503, 'servicio_no_disponible']);
  expect([prints, (await countJobs()) - jobs]).toEqual([3, 3]);
  await end();
  evicting.disconnect();
});
