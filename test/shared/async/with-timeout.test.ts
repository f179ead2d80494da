import { stat } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { withTimeout } from '#shared/async/with-timeout.ts';

test('work that takes longer is given up, by its name', async () => {
  await expect(withTimeout(1, 'Waiting', new Promise(() => {}))).rejects.toThrow(
    'Waiting took longer than 1 ms',
  );
});

test('work that ended while the event loop was blocked is not late', async () => {
  await new Promise(setImmediate); // after this phase of the event loop come the timers, before any answer
  const answer = withTimeout(50, 'Asking', stat('.'));
  const until = performance.now() + 300;
  while (performance.now() < until);
  expect((await answer).isDirectory()).toBe(true);
});
