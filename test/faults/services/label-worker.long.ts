import { expect } from 'vitest';
import { underLoad } from '../clients/under-load.ts';
import { signalChromium, standingJobs, takenOver } from '../system/chromium.ts';
import type { Part } from '../system/part.ts';
import { test as faultTest } from '../system/system.ts';

const test = faultTest
  .extend('wanted', { count: { 'label-worker': 2 } })
  .extend('worker', { scope: 'file' }, ({ system }) => system.workers[0] as Part);

test('when a label worker is killed, another prints its labels', async ({ system, worker }) => {
  let jobs: string[] = [];
  await underLoad(system, 'kill -9 of one of two label workers, mid-print', [503], async () => {
    // Its prints stand still, so that it is killed with jobs in its hands.
    const chromium = signalChromium(worker, 'SIGSTOP');
    jobs = await standingJobs(system.queue);
    const from = performance.now();
    await worker.kill();
    process.kill(-chromium, 'SIGKILL'); // standing still, it does not see that its worker has gone
    return { from, within: 5_000, jobs: jobs.length };
  });
  expect(await takenOver(system.queue, jobs)).toBeGreaterThan(0);
});
