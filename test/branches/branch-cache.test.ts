import { expect } from 'vitest';
import { BRANCHES, COVERAGE } from '#local/demo-data.ts';
import { BranchCache } from '#services/branches/branch-cache.ts';
import { test } from '#test/fixtures/stores.ts';

test('the branches stay in Redis until others replace them', async ({ stores }) => {
  const cache = new BranchCache(stores.redis, stores.prefix);
  await cache.replace({ version: '1', branches: BRANCHES, coverage: COVERAGE });
  const [branch] = BRANCHES;
  expect(await cache.find('1', [{ code: branch?.Codigo ?? '' }])).toEqual([{ branch }]);
  expect(await stores.redis.ttl(`${stores.prefix}:branches`)).toBe(-1);

  const postalCode = '06600';
  const coverage = [{ postalCode, code: 'MEX01', route: 'R-12' }];
  await cache.replace({ version: '1', branches: BRANCHES, coverage });
  expect(await cache.find('1', [{ code: 'MEX01' }, { postalCode }])).toEqual([
    { branch },
    { branch, route: 'R-12' },
  ]);
  // A process of a release without routes reads the branch alone.
  const covering = await stores.redis.hget(`${stores.prefix}:branches`, `cp:${postalCode}`);
  expect(JSON.parse(covering ?? '')).toEqual(branch);

  await cache.replace({ version: '2', branches: [], coverage: [] });
  expect(await cache.find('1', [{ code: branch?.Codigo ?? '' }])).toBeUndefined();
  expect(await cache.find('2', [{ code: branch?.Codigo ?? '' }])).toEqual([null]);
  expect(await stores.redis.ttl(`${stores.prefix}:branches`)).toBe(-1);
});
