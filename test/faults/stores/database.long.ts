import { setTimeout as sleep } from 'node:timers/promises';
import { underLoad } from '../clients/under-load.ts';
import type { Part } from '../system/part.ts';
import { test as faultTest } from '../system/system.ts';

const test = faultTest
  .override('wanted', { own: ['mongo'] })
  .extend('mongo', { scope: 'file' }, ({ system }) => system.mongo.part as Part);

test('while the database is killed and restarted, clients get 503, and no guide is lost or duplicated', async ({
  mongo,
  system,
}) => {
  await underLoad(system, 'kill -9 of the database, started again', [503], async (load) => {
    await mongo.kill();
    await load.waitForStatus('create', 503, 20);
    await mongo.start();
    return { from: performance.now() };
  });
});

test('killing the database again and again loses or duplicates no guide', async ({ mongo, system }) => {
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
