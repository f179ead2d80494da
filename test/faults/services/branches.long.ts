import { underLoad } from '../clients/under-load.ts';
import type { Part } from '../system/part.ts';
import { test } from '../system/system.ts';

test('while branches is away, creations go on for a minute by what is known and then get 503; labels are served', async ({
  system,
}) => {
  const [branches] = system.branches as [Part];
  await underLoad(system, 'kill -9 of branches, started again', [503], async (load) => {
    await branches.kill();
    await load.waitForStatus('create', 503, 50);
    await branches.start();
    return { from: performance.now() };
  });
});
