import { stat } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { memoizeFor } from '#shared/async/memoize-for.ts';
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

test('a value is read once for all its callers, and again after a failure', async () => {
  let reads = 0;
  const read = memoizeFor(60_000, async () => {
    if (++reads === 1) throw new Error('away');
    return reads;
  });
  await expect(read()).rejects.toThrow('away');
  expect(await Promise.all([read(), read(), read()])).toEqual([2, 2, 2]);
  expect(await read()).toBe(2);
});
