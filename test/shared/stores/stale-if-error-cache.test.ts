import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { DomainError } from '#shared/errors/domain-error.ts';
import { StaleIfErrorCache } from '#shared/stores/stale-if-error-cache.ts';
import { passTime } from '#test/fixtures/pass-time.ts';

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

test('a value is given for as long as it is kept, and no longer, however often the store is silent', async () => {
  const KEPT_MS = 60_000;
  let isAway = false;
  const cache = new StaleIfErrorCache<string>({
    ...{ what: 'Reading', max: 10, freshMs: 5_000, keptMs: KEPT_MS, waitMs: 1_000 },
    read: async (key) => {
      if (isAway) throw new DomainError('unavailable');
      return `of ${key}`;
    },
  });
  expect(await cache.get('old')).toBe('of old');
  passTime(KEPT_MS / 2);
  expect(await cache.get('newer')).toBe('of newer');
  isAway = true;
  passTime(KEPT_MS / 4);
  expect(await cache.get('old')).toBe('of old');
  passTime(KEPT_MS / 4);
  await expect(cache.get('old')).rejects.toMatchObject({ code: 'unavailable' });
  // From now on the store is known to be silent, and what is kept is given at once.
  expect(await cache.get('newer')).toBe('of newer');
  await expect(cache.get('old')).rejects.toMatchObject({ code: 'unavailable' });
  isAway = false;
  expect(await cache.get('old')).toBe('of old');
});
