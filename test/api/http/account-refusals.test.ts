import { expect, test } from 'vitest';
import { AccountRefusals } from '#services/api/platform/account-refusals.ts';
import { passTime } from '#test/fixtures/pass-time.ts';

const NO = { codigo: 'sin_cobertura', data: 'coverage' } as const;

test('an account counts once, by its last request, for ten minutes', () => {
  const refusals = new AccountRefusals();
  for (let request = 0; request < 1_000; request++) refusals.count('create', 'tienda', NO);
  refusals.count('create', 'otro', NO);
  refusals.count('create', 'otro');
  expect(refusals.report(5_000).create).toEqual([
    { account: 'tienda', at: expect.closeTo(5_000, -3), ...NO },
    { account: 'otro', at: expect.closeTo(5_000, -3) },
  ]);
  passTime(599_000);
  refusals.count('create', 'otro');
  passTime(2_000);
  expect(refusals.report(5_000).create).toEqual([{ account: 'otro', at: expect.closeTo(3_000, -3) }]);
});

test('processes keep the same few of many accounts', () => {
  const names = Array.from({ length: 500 }, (_, i) => `cuenta-${i}`);
  const keptOf = (accounts: readonly string[]) => {
    const refusals = new AccountRefusals();
    for (const account of accounts) refusals.count('create', account);
    return refusals
      .report(0)
      .create?.map(({ account }) => account)
      .toSorted();
  };
  const kept = keptOf(names);
  expect(kept).toHaveLength(50);
  expect(keptOf(names.toReversed())).toEqual(kept);
});
