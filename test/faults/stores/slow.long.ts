import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { underLoad } from '../clients/under-load.ts';
import type { TcpProxy } from '../system/proxy.ts';
import { type FaultSystem, startFaultSystem } from '../system/system.ts';

let system: FaultSystem;
let redis: TcpProxy;
let mongo: TcpProxy;
beforeAll(async () => {
  system = await startFaultSystem({ count: { 'label-worker': 2 } });
  redis = system.redis.proxy as TcpProxy;
  mongo = system.mongo.proxy as TcpProxy;
});
afterAll(() => system?.close());

test.each([100, 500])('Redis answers %i ms late for ten seconds: slower, and right', async (ms) => {
  await underLoad(system, `Redis ${ms} ms late`, [500, 503], async () => {
    redis.slow(ms);
    await sleep(10_000);
    redis.slow(0);
    return { from: performance.now() };
  });
});

test('Redis says nothing for ten seconds: 503, then all goes on', async () => {
  const load = await underLoad(system, 'Redis frozen for 10 s', [500, 503], async () => {
    const thaw = redis.freeze();
    await sleep(10_000);
    thaw();
    return { from: performance.now() };
  });
  expect(load.of('create', 503).length).toBeGreaterThan(0);
});

test('the database says nothing for ten seconds: 503, then all goes on', async () => {
  const load = await underLoad(system, 'database frozen for 10 s', [500, 503], async () => {
    const thaw = mongo.freeze();
    await sleep(10_000);
    thaw();
    return { from: performance.now() };
  });
  expect(load.of('create', 503).length).toBeGreaterThan(0);
});

test('the database answers a second late for ten seconds: slower, and right', async () => {
  await underLoad(system, 'database 1 s late', [500, 503], async () => {
    mongo.slow(1_000);
    await sleep(10_000);
    mongo.slow(0);
    return { from: performance.now() };
  });
});
