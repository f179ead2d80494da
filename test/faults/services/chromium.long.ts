import { expect, vi } from 'vitest';
import { underLoad } from '../clients/under-load.ts';
import { chromiumOf, secondTries, signalChromium, standingJobs } from '../system/chromium.ts';
import { test as faultTest } from '../system/system.ts';

const test = faultTest.override('wanted', { count: { 'label-worker': 2 } });

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
