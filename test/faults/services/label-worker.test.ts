import { expect, vi } from 'vitest';
import { underLoad } from '../clients/under-load.ts';
import { chromiumOf, secondTries, signalChromium, standingJobs } from '../system/chromium.ts';
import type { Part } from '../system/part.ts';
import { test as faultTest } from '../system/system.ts';

const test = faultTest
  .override('wanted', { count: { 'label-worker': 2 } })
  .extend('worker', { scope: 'file' }, ({ system }) => system.workers[0] as Part);

test.for([
  ['killed', 'SIGKILL'],
  ['stopped', 'SIGSTOP'],
] as const)(
  'a Chromium that is %s while it prints is replaced, and no label is lost',
  async ([what, signal], { system }) => {
    let jobs: string[] = [];
    await underLoad(system, `every Chromium is ${what}, mid-print`, [], async () => {
      const chromiums = system.workers.map((one) => signalChromium(one, 'SIGSTOP'));
      jobs = await standingJobs(system.queue);
      const from = performance.now();
      for (const one of system.workers) signalChromium(one, signal);
      for (const [i, one] of system.workers.entries()) {
        await vi.waitFor(() => expect([chromiums[i], undefined]).not.toContain(chromiumOf(one)), 10_000);
      }
      return { from, within: 5_000, jobs: jobs.length };
    });
    expect((await secondTries(system.queue, jobs)).repeated).toBeGreaterThan(0);
  },
);

test('when a label worker is killed while it prints, another one prints its labels', async ({
  system,
  worker,
}) => {
  let jobs: string[] = [];
  await underLoad(system, 'kill -9 of one of two label workers, mid-print', [], async () => {
    // Its prints stand still, so that it is killed with jobs in its hands.
    const chromium = signalChromium(worker, 'SIGSTOP');
    jobs = await standingJobs(system.queue);
    const from = performance.now();
    await worker.kill();
    process.kill(-chromium, 'SIGKILL'); // standing still, it does not see that its worker has gone
    return { from, within: 5_000, jobs: jobs.length };
  });
  expect((await secondTries(system.queue, jobs)).taken).toBeGreaterThan(0);
});
