import { expect } from 'vitest';
import { underLoad } from '../clients/under-load.ts';
import type { Part } from '../system/part.ts';
import { test as faultTest } from '../system/system.ts';

/** The Redis of the finished labels is away, while all else goes on. */
const test = faultTest
  .extend('wanted', { own: ['labelCache'] })
  .extend('cache', { scope: 'file' }, ({ system }) => system.labelCache.part as Part);

test('while it restarts, labels get 503, and creations go on', async ({ cache, system }) => {
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
