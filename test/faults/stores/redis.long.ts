import { setTimeout as sleep } from 'node:timers/promises';
import { expect, vi } from 'vitest';
import { BranchStore } from '#services/branches/branch-store.ts';
import { Client, minimalGuide } from '#test/fixtures/client.ts';
import { underLoad } from '../clients/under-load.ts';
import type { Part } from '../system/part.ts';
import { test as faultTest } from '../system/system.ts';

const test = faultTest
  .override('wanted', { own: ['redis'] })
  .extend('redis', { scope: 'file' }, ({ system }) => system.redis.part as Part);

test('after fifteen seconds without Redis, the queue recovers', async ({ redis, system }) => {
  await underLoad(system, 'kill -9 of Redis, away for 15 s', [500, 503], async () => {
    await redis.kill();
    await sleep(15_000);
    await redis.start();
    return { from: performance.now() };
  });
});

test('when Redis is flushed, queued labels are answered and every branch is still known', async ({
  system,
}) => {
  // A label whose job is gone is a 500 at its deadline.
  await underLoad(system, 'FLUSHALL, 20 times in 2 s', [500, 503], async () => {
    const from = performance.now();
    for (let turn = 0; turn < 20; turn++) {
      await system.store.flushall();
      await sleep(100);
    }
    return { from };
  });
});

test('coverage that changed while Redis was down is in force when Redis returns with its old cache', async ({
  redis,
  system,
}) => {
  const demo = await Client.login(system.url);
  const branches = new BranchStore(system.db);
  const { coverage } = await branches.snapshot();
  const covered = async () =>
    (await demo.created(minimalGuide({ CodigoPostal: '11111' })))?.[0]?.SEND_SUCU_DEST;
  await branches.loadCoverage([...coverage, { postalCode: '11111', code: 'MTY01' }]);
  await vi.waitFor(async () => expect(await covered()).toBe('MTY01'), 10_000);
  await redis.kill();
  await branches.loadCoverage([...coverage, { postalCode: '11111', code: 'GDL01' }]);
  await redis.start();
  expect(await system.store.hget(`${system.prefix}:branches`, 'cp:11111')).toBeTypeOf('string');
  await vi.waitFor(async () => expect(await covered()).toBe('GDL01'), 5_000);
});
