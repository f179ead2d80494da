import { afterAll, beforeAll, test } from 'vitest';
import { underLoad } from '../clients/under-load.ts';
import type { Part } from '../system/part.ts';
import { type FaultSystem, startFaultSystem } from '../system/system.ts';

let system: FaultSystem;
beforeAll(async () => {
  system = await startFaultSystem({ own: ['mongo'] });
});
afterAll(() => system?.close());

test('the database is killed and started again: 503 meanwhile, and no guide is lost or made twice', async () => {
  const mongo = system.mongo.part as Part;
  await underLoad(system, 'kill -9 of the database, started again', [503], async (load) => {
    await mongo.kill();
    await load.waitForStatus('create', 503, 20);
    await mongo.start();
    return { from: performance.now() };
  });
});
