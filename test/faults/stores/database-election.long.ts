import { expect } from 'vitest';
import { underLoad } from '../clients/under-load.ts';
import { test as faultTest, pidsOf } from '../system/system.ts';

const test = faultTest.extend('wanted', { elections: true, count: { api: 2 } });

test('an election of the database costs seconds, and no guide', async ({ system }) => {
  const before = pidsOf(system);
  await underLoad(system, 'the database elects a primary, connections stay open', [503], async (load) => {
    const elected = system.mongo.stepDown?.();
    await load.waitForStatus('create', 503, 12);
    elected?.();
    return { from: performance.now() };
  });
  expect(pidsOf(system)).toEqual(before);
});
