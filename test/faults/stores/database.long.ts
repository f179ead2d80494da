import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, test } from 'vitest';
import { underLoad } from '../clients/under-load.ts';
import type { Part } from '../system/part.ts';
import { type FaultSystem, startFaultSystem } from '../system/system.ts';

let system: FaultSystem;
beforeAll(async () => {
  system = await startFaultSystem({ own: ['mongo'] });
});
afterAll(() => system?.close());

test('the database is killed again and again: no guide is lost or made twice', async () => {
  const mongo = system.mongo.part as Part;
  await underLoad(system, 'kill -9 of the database, started again, five times', [503], async (load) => {
    for (let turn = 0; turn < 5; turn++) {
      await mongo.kill();
      await mongo.start();
      await load.waitForStatus('create', 200, 20);
      await sleep(500 * Math.random());
    }
    return { from: performance.now() };
  });
});
