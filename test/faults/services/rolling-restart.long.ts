import { underLoad } from '../clients/under-load.ts';
import type { Part } from '../system/part.ts';
import { test as faultTest } from '../system/system.ts';

const test = faultTest.extend('wanted', {
  count: { api: 2, branches: 2, 'label-worker': 2 },
  env: { DRAIN_MS: '3000' },
});

/** SIGTERM, its end in order, its successor. */
async function replace(part: Part): Promise<void> {
  await part.terminate();
  await part.start();
}

test('a rolling restart of every service fails no request', async ({ system }) => {
  await underLoad(system, 'rolling restart of two processes of each service', [], async () => {
    const from = performance.now();
    const { apis, branches, workers } = system;
    for (const turn of [0, 1])
      await Promise.all([apis, branches, workers].map((parts) => replace(parts[turn] as Part)));
    return { from };
  });
});
