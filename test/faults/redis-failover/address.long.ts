import { expect } from 'vitest';
import { underLoad } from '../clients/under-load.ts';
import { test as faultTest, pidsOf } from '../system/system.ts';

const test = faultTest.extend('wanted', { redis: 'pair' });

test('a Redis that turns replica costs seconds, and no restart', async ({ system }) => {
  const before = pidsOf(system);
  // A label that was being printed may fail at its deadline.
  await underLoad(system, 'Redis fails over, connections stay open', [500, 503], async () => {
    await system.redis.failOver?.();
    return { from: performance.now() };
  });
  expect(pidsOf(system)).toEqual(before);
});
