import { randomUUID } from 'node:crypto';
import { describe, expect } from 'vitest';
import { CreationSweep } from '#services/api/guides/creations/creation-sweep.ts';
import { storeCreation } from '#services/api/guides/creations/store-creation.ts';
import { type GuideRecord, GuideStore } from '#services/api/guides/guide-store.ts';
import { newRecord } from '#test/bench/load/guides.ts';
import { test as storesTest } from '#test/fixtures/stores.ts';

const LATER = new Date(Date.now() + 3_600_000);
const log = { info: () => {}, warn: () => {} };

const test = storesTest
  .extend('guides', { scope: 'file' }, async ({ stores }) => {
    const guides = new GuideStore(stores.mongo);
    await guides.open();
    return guides;
  })
  .extend('sweep', { scope: 'file' }, async ({ guides }, { onCleanup }) => {
    const sweep = new CreationSweep(guides, log);
    sweep.start();
    onCleanup(() => sweep.close());
    return () => sweep.sweep(LATER);
  })
  .extend('readable', { scope: 'file' }, ({ guides }) => async (batch: readonly GuideRecord[]) => {
    const found = await Promise.all(batch.map(({ number }) => guides.find(number)));
    return found.filter(Boolean).length;
  })
  .extend('stored', { scope: 'file' }, ({ stores }) => (batch: readonly GuideRecord[]) => {
    const numbers = batch.map(({ number }) => number);
    return stores.mongo.collection<{ _id: string }>('guides').countDocuments({ _id: { $in: numbers } });
  });

function newBatch(count: number): GuideRecord[] {
  const creation = randomUUID();
  return Array.from({ length: count }, () => ({ ...newRecord(), creation }));
}

describe('guides of a creation that a crash has cut', () => {
  test('cannot be read, and are removed', async ({ guides, sweep, readable, stored }) => {
    const batch = newBatch(30);
    await guides.insert(batch.slice(0, 17), new Date());
    expect(await readable(batch)).toBe(0);
    await sweep();
    expect(await stored(batch)).toBe(0);
  });

  test('can all be read once it is committed, and stay', async ({ guides, sweep, readable, stores }) => {
    const batch = newBatch(30);
    await guides.insert(batch, new Date());
    expect(await guides.outcomes.commit(batch[0]?.creation ?? '')).toBe('created');
    expect(await readable(batch)).toBe(30);
    await sweep();
    expect(await readable(batch)).toBe(30);
    const pending = { creation: batch[0]?.creation, pendingUntil: { $exists: true } };
    expect(await stores.mongo.collection('guides').countDocuments(pending)).toBe(0);
    const outcome = await stores.mongo
      .collection<{ _id: string }>('creations')
      .findOne({ _id: pending.creation ?? '' });
    expect(outcome).toMatchObject({ outcome: 'created', expiresAt: expect.any(Date) });
  });

  test('are left alone while their request may still end it', async ({ guides, sweep, readable, stored }) => {
    const batch = newBatch(3);
    await guides.insert(batch, new Date(LATER.getTime() + 60_000));
    await sweep();
    expect(await stored(batch)).toBe(3);
    expect(await guides.outcomes.commit(batch[0]?.creation ?? '')).toBe('created');
    expect(await readable(batch)).toBe(3);
  });

  test('end the same where the processes of two cells sweep at a time', async ({
    guides,
    sweep,
    readable,
    stored,
  }) => {
    const [cut, committed] = [newBatch(20), newBatch(20)];
    for (const batch of [cut, committed]) await guides.insert(batch, new Date());
    expect(await guides.outcomes.commit(committed[0]?.creation ?? '')).toBe('created');
    await Promise.all([sweep(), new CreationSweep(guides, log).sweep(LATER)]);
    expect(await stored(cut)).toBe(0);
    expect(await readable(committed)).toBe(20);
  });

  test('never come back: a late commit fails, and late guides are removed', async ({
    guides,
    sweep,
    readable,
    stored,
  }) => {
    const batch = newBatch(4);
    await guides.insert(batch.slice(0, 2), new Date());
    await sweep();
    await guides.insert(batch, new Date());
    expect(await guides.outcomes.commit(batch[0]?.creation ?? '')).toBe('aborted');
    expect(await readable(batch)).toBe(0);
    await sweep();
    expect(await stored(batch)).toBe(0);
  });
});

describe('a creation', () => {
  test('is created or aborted, whoever is first, over two processes', async ({ guides, stores }) => {
    const other = new GuideStore(stores.mongo.useDb(stores.mongo.name, { useCache: false }));
    for (let turn = 0; turn < 20; turn++) {
      const creation = randomUUID();
      const [committed, aborted] = await Promise.all([
        guides.outcomes.commit(creation),
        other.outcomes.abort([creation]),
      ]);
      expect(aborted).toEqual([committed]);
    }
  });

  test('of one guide is one document, without a trace elsewhere', async ({ guides, stores }) => {
    const [guide] = newBatch(1) as [GuideRecord];
    expect(await storeCreation([guide], { guides })).toBe('created');
    const found = await stores.mongo.collection<{ _id: string }>('guides').findOne({ _id: guide.number });
    expect(found).not.toHaveProperty('pendingUntil');
    expect(await guides.outcomes.of([guide.creation])).toEqual(new Map());
  });

  test('that cannot be sent fails alone, not the 24 others of its write', async ({ guides, readable }) => {
    const others = Array.from({ length: 24 }, () => newBatch(1));
    const [unsendable] = newBatch(1) as [GuideRecord];
    const loop: { loop?: unknown } = {};
    loop.loop = loop;
    Object.assign(unsendable.guide, loop);
    const failed = guides.insert([unsendable]).catch((error: Error) => error.message);
    expect(await Promise.all(others.map((one) => guides.insert(one)))).toEqual(others.map(() => []));
    expect(await failed).toMatch(/circular/i);
    expect(await readable(others.flat())).toBe(24);
  });
});
