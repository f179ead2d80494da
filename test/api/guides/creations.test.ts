import { randomUUID } from 'node:crypto';
import { describe, expect, vi } from 'vitest';
import { CreationJournal } from '#services/api/guides/creation-journal.ts';
import { GuideStore } from '#services/api/guides/guide-store.ts';
import { idempotencyKey } from '#services/api/http/idempotency.ts';
import { CREATIONS, type JournalEntry } from '#shared/guides/creation-model.ts';
import type { GuideDocument } from '#shared/guides/guide-model.ts';
import { createLogger } from '#shared/observability/logger.ts';
import { createIndexes } from '#shared/stores/collection.ts';
import { connectMongo } from '#shared/stores/mongo.ts';
import { newRecord } from '#test/bench/load/guides.ts';
import { finishCut } from '#test/fixtures/finish-cut.ts';
import { type Fate, startMongoProxy } from '#test/fixtures/mongo-proxy.ts';
import { test as storesTest } from '#test/fixtures/stores.ts';

const silent = { info() {}, warn() {} };

const test = storesTest
  .extend('guides', { scope: 'file' }, ({ stores }) => new GuideStore(stores.mongo))
  .extend('entries', { scope: 'file' }, ({ stores }) => stores.mongo.collection<JournalEntry>('creations'))
  .extend('journal', { scope: 'file' }, async ({ stores, guides }) => {
    await createIndexes(stores.mongo, CREATIONS);
    return new CreationJournal(stores.mongo, guides);
  })
  /** Leaves a creation as a crash does right after its commit. @returns its id. */
  .extend(
    'commit',
    { scope: 'file' },
    ({ entries, journal: _ }) =>
      async (records: readonly GuideDocument[], openSince = new Date()) => {
        const { creation } = records[0] as GuideDocument;
        await entries.insertOne({ _id: creation, creation, openSince, records });
        return creation;
      },
  )
  .extend('readable', { scope: 'file' }, ({ guides }) => async (batch: readonly GuideDocument[]) => {
    const found = await Promise.all(batch.map(({ _id }) => guides.find(_id)));
    return found.filter((guide) => guide?.creation === batch[0]?.creation).length;
  });

function newBatch(count: number): GuideDocument[] {
  const creation = randomUUID();
  return Array.from({ length: count }, () => ({ ...newRecord(), creation }));
}

describe('a creation that a crash has cut after its commit', () => {
  test.for([0, 17])(
    'of which %i guides were stored has all 30 after a sweep',
    async (count, { commit, entries, guides, journal, readable }) => {
      const batch = newBatch(30);
      const creation = await commit(batch);
      for (const record of batch.slice(0, count)) await guides.insert(record);
      await finishCut(journal);
      expect(await readable(batch)).toBe(30);
      expect(await entries.findOne({ _id: creation })).toEqual({
        _id: creation,
        creation,
        numbers: batch.map(({ _id }) => _id),
        expiresAt: expect.any(Date),
      });
    },
  );

  test('is left to its request for ten seconds, and not longer', async ({ commit, journal, readable }) => {
    const batch = newBatch(3);
    await commit(batch);
    const began = Math.ceil(performance.now());
    for (const [passedMs, stored] of [
      [0, 0],
      [9_999, 0],
      [10_000, 3],
    ] as const) {
      vi.spyOn(performance, 'now').mockReturnValue(began + passedMs);
      await journal.sweep(silent);
      expect(await readable(batch)).toBe(stored);
    }
  });

  test('has each guide once where several processes finish it at a time, and a number is taken', async ({
    commit,
    entries,
    guides,
    journal,
    stores,
  }) => {
    const [other] = newBatch(1) as [GuideDocument];
    await guides.insert(other);
    const batch = newBatch(20).map((record, i) => (i === 7 ? { ...record, _id: other._id } : record));
    const creation = await commit(batch);
    const processes = [
      journal,
      ...Array.from({ length: 3 }, () => new CreationJournal(stores.mongo, guides)),
    ];
    await Promise.all(processes.map(finishCut));
    const stored = await stores.mongo
      .collection<{ _id: string; creation: string }>('guides')
      .find({ creation })
      .toArray();
    const { numbers = [] } = (await entries.findOne({ _id: creation })) ?? {};
    expect(stored.map(({ _id }) => _id).toSorted()).toEqual(numbers.toSorted());
    expect(numbers.toSpliced(7, 1)).toEqual(batch.map(({ _id }) => _id).toSpliced(7, 1));
    expect((await guides.find(other._id))?.creation).toBe(other.creation);
  });

  test('waits for no other that cannot be finished', async ({ commit, entries, journal, readable }) => {
    const unstorable = () => newBatch(1).map((record) => ({ ...record, _id: ['no number'] as never }));
    const ago = (seconds: number) => new Date(Date.now() - 1_000 * seconds);
    const first = await commit(unstorable(), ago(30));
    const batch = newBatch(2);
    await commit(batch, ago(20));
    const last = await commit(unstorable(), ago(10));
    await finishCut(journal);
    expect(await readable(batch)).toBe(2);
    await entries.deleteMany({ _id: { $in: [first, last] } });
  });
});

describe('a creation', () => {
  test('of one guide without a key is one document', async ({ entries, journal, readable }) => {
    const batch = newBatch(1);
    expect(await journal.create(batch)).toEqual({ guides: batch, repeated: false });
    expect(await readable(batch)).toBe(1);
    expect(await entries.countDocuments({ creation: batch[0]?.creation ?? '' })).toBe(0);
  });

  test('of several guides leaves their numbers for an hour', async ({ entries, journal, readable }) => {
    const batch = newBatch(3);
    expect(await journal.create(batch)).toEqual({ guides: batch, repeated: false });
    expect(await readable(batch)).toBe(3);
    const entry = () => entries.findOne({ creation: batch[0]?.creation ?? '' });
    await expect.poll(entry).toMatchObject({ numbers: batch.map(({ _id }) => _id) });
    const { expiresAt, ...rest } = (await entry()) as JournalEntry;
    expect(Object.keys(rest).toSorted()).toEqual(['_id', 'creation', 'numbers']);
    expect((expiresAt as Date).getTime() - Date.now()).toBeGreaterThan(3_500_000);
    expect((expiresAt as Date).getTime() - Date.now()).toBeLessThan(3_610_000);
  });

  test('with a key that another body committed meanwhile is refused', async ({ entries, journal }) => {
    const keys = await Promise.all(
      ['one', 'other'].map((body) => idempotencyKey('crear', 'demo', 'one-key', body)),
    );
    // Neither request has found the key: they came at the same moment.
    const results = await Promise.allSettled(keys.map((key) => journal.create(newBatch(2), key)));
    const refused = results.filter((result) => result.status === 'rejected');
    expect(refused).toMatchObject([{ reason: { code: 'idempotency-key-reused' } }]);
    await entries.deleteOne({ _id: keys[0]?.id ?? '' });
  });

  test('with a key whose other commit expires meanwhile is committed itself, and a repeat finds it', async ({
    entries,
    guides,
    journal: _,
    stores,
  }) => {
    const key = await idempotencyKey('crear', 'demo', 'expired-key', 'body');
    const other = { _id: key.id, creation: randomUUID(), openSince: new Date(0), records: [] };
    await entries.insertOne(other);
    // The key is taken when this creation commits, and is gone when it looks who has it.
    const proxy = await startMongoProxy(stores.mongoUri, async ({ find }): Promise<Fate> => {
      if (find === 'creations') await entries.deleteOne({ creation: other.creation });
      return 'done';
    });
    const mongo = await connectMongo(proxy.uri, createLogger('test', 'silent'));
    const journal = new CreationJournal(mongo, guides);
    const first = await journal.create(newBatch(2), key);
    const again = await journal.create(newBatch(2), key);
    await mongo.close();
    await proxy.close();
    expect(again.guides.map(({ _id }) => _id)).toEqual(first.guides.map(({ _id }) => _id));
    expect([first.repeated, again.repeated]).toEqual([false, true]);
  });

  test.for([1, 3])(
    'of %i guides whose number is taken gets another one',
    async (count, { guides, journal, readable }) => {
      const [other] = newBatch(1) as [GuideDocument];
      await guides.insert(other);
      const batch = newBatch(count).map((record, i) => (i === 0 ? { ...record, _id: other._id } : record));
      const created = await journal.create(batch);
      expect(created.guides[0]?._id).not.toBe(other._id);
      expect(await readable(created.guides)).toBe(count);
      expect((await guides.find(other._id))?.creation).toBe(other.creation);
    },
  );

  test('with a key, of guides whose number is taken, is answered alike when it is repeated', async ({
    entries,
    guides,
    journal,
  }) => {
    const [other] = newBatch(1) as [GuideDocument];
    await guides.insert(other);
    const batch = newBatch(3).map((record, i) => (i === 0 ? { ...record, _id: other._id } : record));
    const key = await idempotencyKey('crear', 'demo', 'taken-number', 'body');
    const { guides: created } = await journal.create(batch, key);
    const numbers = created.map(({ _id }) => _id);
    expect(numbers).not.toContain(other._id);
    await expect
      .poll(async () => await entries.findOne({ _id: key.id }))
      .toMatchObject({ numbers, expiresAt: expect.any(Date) });
    const again = await journal.create(newBatch(3), key);
    expect([again.repeated, again.guides.map(({ _id }) => _id)]).toEqual([true, numbers]);
  });

  test('of which the database refuses one guide is not answered as done', async ({ entries, journal }) => {
    const batch = newBatch(3).map((record, i) =>
      i === 1 ? { ...record, _id: ['no number'] as never } : record,
    );
    await expect(journal.create(batch)).rejects.toMatchObject({ code: 'result-unknown' });
    const { deletedCount } = await entries.deleteOne({ _id: batch[0]?.creation ?? '' });
    expect(deletedCount).toBe(1);
  });

  test('that the database refuses fails alone in its write', async ({ guides, readable }) => {
    const others = Array.from({ length: 24 }, () => newBatch(1)[0] as GuideDocument);
    const refused = { ...newRecord(), _id: ['no number'] as never };
    const failed = guides.insert(refused).catch((error: Error) => error);
    expect(await Promise.all(others.map((one) => guides.insert(one)))).toEqual(others.map(() => 'stored'));
    expect(await failed).toBeInstanceOf(Error);
    for (const one of others) expect(await readable([one])).toBe(1);
  });
});
