import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { StaleIfErrorCache } from '#shared/stores/stale-if-error-cache.ts';

test('after a miss the kept value is given at once, until the pause is over', async () => {
  const reads: PromiseWithResolvers<string>[] = [];
  const cache = new StaleIfErrorCache<string>({
    ...{ what: 'Reading', max: 10, freshMs: 0, keptMs: 60_000, waitMs: 300 },
    read: () => {
      const read = Promise.withResolvers<string>();
      reads.push(read);
      return read.promise;
    },
  });
  const first = cache.get('a');
  reads[0]?.resolve('one');
  expect(await first).toBe('one');
  expect(await cache.get('a')).toBe('one'); // after the wait for a store that is silent
  const atOnce = () => Promise.race([cache.get('a'), setImmediate('it waits')]);
  expect(await atOnce()).toBe('one');
  expect(reads).toHaveLength(2);

  reads[1]?.resolve('two');
  await expect.poll(atOnce).toBe('two');
});
