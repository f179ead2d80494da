import { afterAll, beforeAll, test } from 'vitest';
import { underLoad } from '../clients/under-load.ts';
import type { Part } from '../system/part.ts';
import { type FaultSystem, startFaultSystem } from '../system/system.ts';

let system: FaultSystem;
beforeAll(async () => {
  system = await startFaultSystem({ own: ['redis'] });
});
afterAll(() => system?.close());

test('Redis is killed and started again: 503 meanwhile, then creations and the queue go on by themselves', async () => {
  const redis = system.redis.part as Part;
  await underLoad(system, 'kill -9 of Redis, started again', [503], async (load) => {
    await redis.kill();
    await load.waitForStatus('create', 503, 20);
    await redis.start();
    return { from: performance.now() };
  });
});
