import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { keepRunning } from '#local/process/keep-running.ts';
import { startProcess } from '#local/process/owned-process.ts';
import { test } from '#test/fixtures/folder.ts';

/** What `npm start` does when the disk of `.local` is full. `/dev/full` takes no byte. */

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
