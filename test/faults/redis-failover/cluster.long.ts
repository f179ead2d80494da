import { expect } from 'vitest';
import { underLoad } from '../clients/under-load.ts';
import { test as faultTest, pidsOf } from '../system/system.ts';
import { expectFollowed, silence } from './lost-primary.ts';

const test = faultTest.override('wanted', { redis: 'cluster' });

test('when a master of a Redis Cluster is killed that has other keys, nobody notices', async ({ system }) => {
  const before = pidsOf(system);
  await underLoad(system, 'kill -9 of a master of other keys in a Redis Cluster', [], async () => {
    const from = performance.now();
    await system.redis.other?.kill();
    await system.redis.elected?.();
    return { from, within: 2_000 };
  });
  expect(pidsOf(system)).toEqual(before);
});

test('when the master of our keys falls silent, its replica takes over, and the services follow', ({
  system,
}) => expectFollowed(system, 'the master of our keys in a Redis Cluster silent', silence));
