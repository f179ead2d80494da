import { expect } from 'vitest';
import { underLoad } from '../clients/under-load.ts';
import { test as faultTest } from '../system/system.ts';

const test = faultTest.override('wanted', { redisPair: true });

test('a Redis that turns replica under open connections costs seconds, and no restart', async ({
  system,
}) => {
  const pids = () => [...system.apis, ...system.branches, ...system.workers].map(({ pid }) => pid);
  const before = pids();
  await underLoad(system, 'Redis fails over, connections stay open', [503], async (load) => {
    await system.redis.failOver?.();
    await load.waitForStatus('label', 503, 1);
    return { from: performance.now() };
  });
  expect(pids()).toEqual(before);
});
