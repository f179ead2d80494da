import { expect } from 'vitest';
import { NoticeStore } from '#services/api/notices/notice-store.ts';
import { NOTICES } from '#shared/notices/notice-model.ts';
import { modelOf } from '#shared/stores/collection.ts';
import { test } from '#test/fixtures/services.ts';

/** What bounds the notices of a day. */

const DAY_MS = 24 * 3_600_000;

test('an account that is always over its limit gets it anew with each day, and what was not sent takes none of it', async ({
  stores: { mongo },
}) => {
  const store = new NoticeStore(mongo);
  let count = 0;
  const add = async (notices: number) => {
    const some = Array.from({ length: notices }, () => ({ guide: '390458235877', event: `${count++}` }));
    const more = { state: 'EnReparto', occurred: new Date() } as const;
    return store.add(
      'tienda',
      some.map((one) => ({ ...one, ...more })),
      2,
    );
  };
  expect(await add(3)).toBe(1);
  expect(await add(1)).toBe(1);
  for (const outcome of ['unwanted', 'sent'] as const) {
    const notice = await store.take([]);
    if (notice) await store.end(notice, outcome);
  }
  expect(await add(2)).toBe(1);
  await modelOf(mongo, NOTICES).updateMany(
    { outcome: { $ne: 'overLimit' } },
    { $set: { expiresAt: new Date(Date.now() + 28 * DAY_MS) } },
  );
  expect(await add(3)).toBe(1);
});
