import { afterAll, beforeAll, test } from 'vitest';
import type { Part } from './part.ts';
import { type FaultSystem, startFaultSystem } from './system.ts';
import { underLoad } from './under-load.ts';

let system: FaultSystem;
beforeAll(async () => {
  system = await startFaultSystem();
});
afterAll(() => system?.close());

test('branches is killed and started again: creations are refused meanwhile, labels go on', async () => {
  const [branches] = system.branches as [Part];
  await underLoad(system, 'kill -9 of branches, started again', [503], async (load) => {
    await branches.kill();
    await load.comes('create', 503, 50);
    await branches.start();
    return { from: performance.now() };
  });
});
