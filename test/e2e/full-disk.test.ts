import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { watchDisk } from '#local/process/disk-watch.ts';
import { keepRunning } from '#local/process/keep-running.ts';
import { startProcess } from '#local/process/owned-process.ts';
import { test } from '#test/fixtures/folder.ts';

/** What `npm start` does when the disk of `.local` is full. `/dev/full` takes no byte. */

const ONCE_SEEN = { timeout: 60_000, interval: 50 };

test('the terminal says that the disk is full, and when it has room again', async ({ folder }) => {
  const lines: string[] = [];
  symlinkSync('/dev/full', join(folder, 'disk-check')); // which the first check removes
  onTestFinished(watchDisk(folder, (line) => lines.push(line)));
  await expect
    .poll(() => lines, ONCE_SEEN)
    .toEqual([
      `Nothing can be written to ${folder}: stores fail, logs lack lines. ENOSPC: no space left on device, write`,
      `${folder} can be written again.`,
    ]);
});

test('a process that ends is started again, though its log takes no line', async ({ folder }) => {
  const logFile = join(folder, 'full.log');
  symlinkSync('/dev/full', logFile);
  const restarted = Promise.withResolvers<void>();
  const child = startProcess({ name: 'sleeper', command: ['sleep', '1000'], logFile });
  onTestFinished(
    keepRunning(
      child,
      () => {},
      () => restarted.resolve(),
    ),
  );
  child.kill('SIGKILL');
  await restarted.promise;
});
