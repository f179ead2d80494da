import { afterAll, beforeAll, test } from 'vitest';
import { underLoad } from '../clients/under-load.ts';
import type { Part } from '../system/part.ts';
import { type FaultSystem, startFaultSystem } from '../system/system.ts';

let system: FaultSystem;
beforeAll(async () => {
  system = await startFaultSystem();
});
afterAll(() => system?.close());

test('branches is killed and started again: creations are refused meanwhile, labels go on', async () => {
  const [branches] = system.branches as [Part];
  await underLoad(system, 'kill -9 of branches, started again', [503], async (load) => {
    await branches.kill();
    await load.waitForStatus('create', 503, 50);
    await branches.start();
    return { from: performance.now() };
  });
});
