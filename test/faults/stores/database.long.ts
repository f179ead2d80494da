import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { underLoad } from '../clients/under-load.ts';
import { test } from '../system/system.ts';

test('while the database is frozen, clients get 503, then all recovers', async ({ system }) => {
  const load = await underLoad(system, 'database frozen for 10 s', [500, 503], async () => {
    const thaw = system.mongo.proxy?.freeze();
    await sleep(10_000);
    thaw?.();
    return { from: performance.now() };
  });
  expect(load.of('create', 503).length).toBeGreaterThan(0);
});
