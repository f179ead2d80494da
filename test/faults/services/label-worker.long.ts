import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { underLoad } from '../clients/under-load.ts';
import { signalChromium } from '../system/chromium.ts';
import type { Part } from '../system/part.ts';
import { test as faultTest } from '../system/system.ts';

const test = faultTest.extend('worker', { scope: 'file' }, ({ system }) => system.workers[0] as Part);

test('while every Chromium of the only worker hangs for a minute, labels get errors in time, then are served', async ({
  system,
  worker,
}) => {
  const load = await underLoad(
    system,
    'every Chromium of the only worker is stopped for 60 s',
    [500, 503],
    async () => {
      const stopped = new Set<number>();
      for (const end = performance.now() + 60_000; performance.now() < end; await sleep(50)) {
        try {
          stopped.add(signalChromium(worker, 'SIGSTOP'));
        } catch {
          // The next one is only starting.
        }
      }
      signalChromium(worker, 'SIGCONT');
      return { from: performance.now(), within: 5_000, chromiums: stopped.size };
    },
  );
  expect(load.of('label', 500).length).toBeGreaterThan(0);
});

test('when the only worker is killed and restarted, its successor prints its labels', async ({
  system,
  worker,
}) => {
  // How long a start takes is the machine's business, so a label may be late, or refused where it takes long.
  await underLoad(system, 'kill -9 of the only label worker, started again', [500, 503], async () => {
    await worker.kill();
    await worker.start();
    return { from: performance.now(), within: 5_000 };
  });
});
