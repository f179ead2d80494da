import { Redis } from 'ioredis';
import { expect, onTestFinished } from 'vitest';
import { underLoad } from '../clients/under-load.ts';
import type { Part } from '../system/part.ts';
import { test as faultTest } from '../system/system.ts';

/** The Redis of the finished labels is away, emptied or full, while all else goes on. */
const test = faultTest
  .override('wanted', { own: ['labelCache'] })
  .extend('cache', { scope: 'file' }, ({ system }) => system.labelCache.part as Part)
  .extend('connect', ({ system }) => () => {
    const redis = new Redis(system.labelCache.direct);
    onTestFinished(() => redis.disconnect());
    return redis;
  });

test('while it is killed and restarted, labels get 503, creations go on, then labels are printed again', async ({
  cache,
  system,
}) => {
  const load = await underLoad(
    system,
    'kill -9 of the Redis of the labels, started again',
    [503],
    async (load) => {
      await cache.kill();
      await load.waitForStatus('label', 503, 20);
      await load.waitForStatus('create', 200, 20);
      await cache.start();
      return { from: performance.now() };
    },
  );
  expect(load.of('create', 503)).toEqual([]);
});

test('when it is emptied, labels that clients wait for are printed once more, and nobody notices', async ({
  connect,
  system,
}) => {
  const redis = connect();
  await underLoad(system, 'FLUSHALL of the Redis of the labels', [], async (load) => {
    for (let i = 0; i < 10; i++) {
      await redis.flushall();
      await load.waitForStatus('label', 200, 5);
    }
    return { from: performance.now() };
  });
});

test('when it is full, it evicts, and labels are printed and delivered as before', async ({
  connect,
  system,
}) => {
  const redis = connect();
  const used = Number(/used_memory:(\d+)/.exec(await redis.info('memory'))?.[1]);
  await redis.config('SET', 'maxmemory', String(used + 500_000)); // some twenty labels
  const evicted = async () => Number(/evicted_keys:(\d+)/.exec(await redis.info('stats'))?.[1]);
  await underLoad(system, 'a full Redis of the labels', [], async (load) => {
    while ((await evicted()) < 20) await load.waitForStatus('label', 200, 5);
    return { from: performance.now() };
  });
});
