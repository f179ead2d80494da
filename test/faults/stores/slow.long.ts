import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { underLoad } from '../clients/under-load.ts';
import type { TcpProxy } from '../system/proxy.ts';
import { test as faultTest } from '../system/system.ts';

const test = faultTest
  .override('wanted', { count: { 'label-worker': 2 } })
  .extend('redis', { scope: 'file' }, ({ system }) => system.redis.proxy as TcpProxy)
  .extend('mongo', { scope: 'file' }, ({ system }) => system.mongo.proxy as TcpProxy);

test('while Redis is frozen for ten seconds, labels get 503, creations go on, then all recovers', async ({
  redis,
  system,
}) => {
  const load = await underLoad(system, 'Redis frozen for 10 s', [500, 503], async () => {
    const thaw = redis.freeze();
    await sleep(10_000);
    thaw();
    return { from: performance.now() };
  });
  expect(load.of('label', 503).length).toBeGreaterThan(0);
  expect(load.of('create', 503)).toEqual([]);
});

test('while the database is frozen for ten seconds, clients get 503, then all recovers', async ({
  mongo,
  system,
}) => {
  const load = await underLoad(system, 'database frozen for 10 s', [500, 503], async () => {
    const thaw = mongo.freeze();
    await sleep(10_000);
    thaw();
    return { from: performance.now() };
  });
  expect(load.of('create', 503).length).toBeGreaterThan(0);
});
