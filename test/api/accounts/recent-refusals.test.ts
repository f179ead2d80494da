import { expect, test } from 'vitest';
import { RecentRefusals } from '#services/api/accounts/recent-refusals.ts';
import { passTime } from '#test/fixtures/pass-time.ts';

test('the accounts with most refusals of the last minute are named, and no flood that is over', () => {
  const refusals = new RecentRefusals();
  for (const [account, times] of Object.entries({ a: 2, b: 4, c: 1, d: 3 }))
    for (let i = 0; i < times; i++) refusals.add(account);
  passTime(11_000);
  for (let i = 0; i < 4; i++) refusals.add('c');
  const most = [
    { account: 'c', refused: 5 },
    { account: 'b', refused: 4 },
    { account: 'd', refused: 3 },
  ];
  expect(refusals.most()).toEqual(most);
  passTime(50_000);
  expect(refusals.most()).toEqual([{ account: 'c', refused: 4 }]);
  passTime(3_600_000);
  expect(refusals.most()).toEqual([]);
});
