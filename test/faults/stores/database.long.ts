import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { underLoad } from '../clients/under-load.ts';
import { test } from '../system/system.ts';

test('cutting connections to the database again and again loses no acknowledged guide', async ({
  system,
}) => {
  await underLoad(system, 'connections to the database cut 40 times in 4 s', [503], async () => {
    let cut = 0;
    for (let turn = 0; turn < 40; turn++) {
      cut += system.mongo.proxy?.cut() ?? 0;
      await sleep(100);
    }
    expect(cut).toBeGreaterThan(0);
    return { from: performance.now(), cut };
  });
});
