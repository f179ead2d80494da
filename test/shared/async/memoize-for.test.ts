import { expect, test } from 'vitest';
import { memoizeFor } from '#shared/async/memoize-for.ts';

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
