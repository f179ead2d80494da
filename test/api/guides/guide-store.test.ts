import { expect } from 'vitest';
import { type GuideRecord, GuideStore } from '#services/api/guides/guide-store.ts';
import { newRecord } from '#test/bench/load/guides.ts';
import { test } from '#test/fixtures/stores.ts';

test('look-ups of one turn keep an account named "undefined" apart from one who sees all guides', async ({
  stores,
}) => {
  const guides = new GuideStore(stores.mongo);
  const guide: GuideRecord = { ...newRecord(), account: 'demo' };
  await guides.insert(guide);
  const found = await Promise.all([
    guides.find(guide.number),
    guides.find(guide.number, 'undefined'),
    guides.find(guide.number, 'demo'),
  ]);
  expect(found.map((record) => record?.number)).toEqual([guide.number, undefined, guide.number]);
});
