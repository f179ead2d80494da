import { expect } from 'vitest';
import { underLoad } from '../clients/under-load.ts';
import type { Part } from '../system/part.ts';
import { test as faultTest } from '../system/system.ts';

const test = faultTest
  .extend('wanted', { own: ['redis'] })
  .extend('redis', { scope: 'file' }, ({ system }) => system.redis.part as Part);

test('while Redis restarts, labels get 503, and creations go on', async ({ redis, system }) => {
  const load = await underLoad(system, 'kill -9 of Redis, started again', [503], async (load) => {
    await redis.kill();
    await load.waitForStatus('label', 503, 20);
    await load.waitForStatus('create', 200, 20);
    await redis.start();
    return { from: performance.now() };
  });
  expect(load.of('create', 503)).toEqual([]);
});
