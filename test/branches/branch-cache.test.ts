import { expect, vi } from 'vitest';
import { BRANCHES, COVERAGE } from '#local/demo-data.ts';
import { BranchCache, stampOf } from '#services/branches/branch-cache.ts';
import { test } from '#test/fixtures/stores.ts';

const [branch] = BRANCHES;
const asked = [{ code: branch?.Codigo ?? '' }];
/** More fields than are written at once. */
const MANY = Array.from({ length: 1_500 }, (_, i) => ({ postalCode: String(10_000 + i), code: 'MEX01' }));

test('the branches stay in Redis until others replace them', async ({ stores }) => {
  const cache = new BranchCache(stores.redis, stores.prefix);
  await cache.replace({ version: '1.1', branches: BRANCHES, coverage: COVERAGE });
  expect(await cache.stamp()).toBe('1.1:6.6');
  expect(await cache.find('1.1:6.6', asked)).toEqual([{ branch }]);
  expect(await stores.redis.ttl(`${stores.prefix}:branches`)).toBe(-1);

  const postalCode = '06600';
  const coverage = [{ postalCode, code: 'MEX01', route: 'R-12' }];
  await cache.replace({ version: '1.1', branches: BRANCHES, coverage });
  expect(await cache.find('1.1:6.1', [{ code: 'MEX01' }, { postalCode }])).toEqual([
    { branch },
    { branch, route: 'R-12' },
  ]);
  const covering = await stores.redis.hget(`${stores.prefix}:branches`, `cp:${postalCode}`);
  expect(JSON.parse(covering ?? '')).toEqual(branch);

  await cache.replace({ version: '2.1', branches: [], coverage: [] });
  expect(await cache.find('1.1:6.1', asked)).toBeUndefined();
  expect(await cache.find('2.1:0.0', asked)).toEqual([null]);
  expect(await stores.redis.ttl(`${stores.prefix}:branches`)).toBe(-1);
});

test('the branches of more rows than were loaded are in step with the database', async ({ stores }) => {
  const cache = new BranchCache(stores.redis, stores.prefix);
  await cache.replace({ version: '1.1', branches: BRANCHES, coverage: COVERAGE });
  const branches = { found: BRANCHES.length, rows: BRANCHES.length - 1 };
  const coverage = { found: COVERAGE.length, rows: COVERAGE.length };
  expect(await cache.stamp()).toBe(stampOf({ version: '1.1', branches, coverage }));
});

test('a cache that loses fields while it is written is not published', async ({ stores }) => {
  const { redis, prefix } = stores;
  const cache = new BranchCache(redis, prefix);
  await cache.replace({ version: '3.1', branches: BRANCHES, coverage: COVERAGE });
  const hset = redis.hset.bind(redis);
  vi.spyOn(redis, 'hset').mockImplementationOnce(async (key, fields) => {
    const written = await hset(key, fields as unknown as Map<string, string>);
    await redis.del(key); // as its end does, in a process that was suspended for a minute
    return written;
  });
  const replacing = cache.replace({ version: '4.1', branches: BRANCHES, coverage: MANY });
  await expect(replacing).rejects.toThrow('509 of 1509 fields were written');
  expect(await cache.find('3.1:6.6', asked)).toEqual([{ branch }]);
  expect(await redis.keys(`${prefix.replace(/[{}]/g, '\\$&')}:branches:*`)).toEqual([]);
});

test('what a process that was killed has written of a cache ends within a minute', async ({ stores }) => {
  const { redis, prefix } = stores;
  const cache = new BranchCache(redis, prefix);
  const killed = new Error('killed');
  vi.spyOn(redis, 'hlen').mockRejectedValueOnce(killed);
  vi.spyOn(redis, 'unlink').mockRejectedValueOnce(killed);
  await expect(cache.replace({ version: '5.1', branches: BRANCHES, coverage: MANY })).rejects.toBe(killed);
  const [left = ''] = await redis.keys(`${prefix.replace(/[{}]/g, '\\$&')}:branches:*`);
  expect(await redis.ttl(left)).toBeGreaterThan(0);
  expect(await redis.ttl(left)).toBeLessThanOrEqual(60);
});
