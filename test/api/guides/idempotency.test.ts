import { randomUUID } from 'node:crypto';
import { describe, expect } from 'vitest';
import type { JournalEntry } from '#shared/guides/creation-model.ts';
import type { GuideDocument } from '#shared/guides/guide-model.ts';
import { Client, type CreatedGuide, minimalGuide } from '#test/fixtures/client.ts';
import { test as services } from '#test/fixtures/services.ts';

const BODY = { TipoServicio: 'Domicilio', Guia: Array.from({ length: 20 }, () => minimalGuide()) };

const test = services
  .extend('guides', { scope: 'file' }, ({ stores }) => stores.mongo.collection<GuideDocument>('guides'))
  .extend('entries', { scope: 'file' }, ({ stores }) => stores.mongo.collection<JournalEntry>('creations'))
  /** Makes a creation that is done what a crash leaves after the commit. @param kept guides that were stored by then. */
  .extend('cut', { scope: 'file' }, ({ guides, entries }) => async (all: string[], kept: number) => {
    const found = await guides.find({ _id: { $in: all } }).toArray();
    const records = all.map((number) => found.find(({ _id }) => _id === number) as GuideDocument);
    await expect.poll(() => entries.countDocuments({ numbers: all })).toBe(1);
    await entries.updateOne(
      { numbers: all },
      { $set: { records, openSince: new Date() }, $unset: { numbers: 1, expiresAt: 1 } },
    );
    await guides.deleteMany({ _id: { $in: all.slice(kept) } });
  })
  .extend('create', { scope: 'file' }, ({ demo }) => (key: string, body: unknown = BODY, user = demo) => {
    return user.post('/api/guias/crear', body, { 'idempotency-key': key });
  });
const numbers = (data: unknown) => (data as CreatedGuide[]).map(({ SEND_GUIA }) => SEND_GUIA);

describe('Idempotency-Key', () => {
  test('gives the same answer again, and creates nothing', async ({ create, guides }) => {
    const key = randomUUID();
    const first = await create(key);
    const before = await guides.countDocuments();
    const again = await create(key);
    expect(again.status).toBe(200);
    expect(again.body).toEqual(first.body);
    expect(await guides.countDocuments()).toBe(before);
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    expect(again.headers.get('idempotent-replayed')).toBe('true');
  });

  test('holds for concurrent requests', async ({ create, guides }) => {
    const key = randomUUID();
    const before = await guides.countDocuments();
    const answers = await Promise.all(Array.from({ length: 12 }, () => create(key)));
    for (const { status, body } of answers) {
      expect(status).toBe(200);
      expect(body).toEqual(answers[0]?.body);
    }
    expect(await guides.countDocuments()).toBe(before + BODY.Guia.length);
  });

  test('completes what a crash left half done, with the same numbers', async ({ create, cut, guides }) => {
    const key = randomUUID();
    const first = await create(key);
    const all = numbers(first.body.data);
    await cut(all, 7);
    const again = await create(key);
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    const stored = await guides.find({ _id: { $in: all } }).toArray();
    expect(stored).toHaveLength(all.length);
    const [moment, ...others] = new Set(stored.map(({ createdUtc }) => createdUtc.getTime()));
    expect(others).toEqual([]);
    expect(Math.abs(Date.now() - (moment ?? 0))).toBeLessThan(60_000);
  });

  test("compares bodies as they are stored: a branch's code has no case", async ({ create }) => {
    const key = randomUUID();
    const to = (DestinoCode: string) => ({ ...BODY, Guia: [minimalGuide({ DestinoCode })] });
    const first = await create(key, to('mty01'));
    expect(first.status).toBe(200);
    for (const code of ['MTY01', ' Mty01 ', 'mty01']) {
      const again = await create(key, to(code));
      expect([again.body, again.headers.get('idempotent-replayed')]).toEqual([first.body, 'true']);
    }
    expect((await create(key, to('GDL01'))).status).toBe(409);
  });

  test("is each user's own", async ({ api, create }) => {
    const key = randomUUID();
    const other = await Client.login(api.url, 'otro');
    const [mine, theirs] = [await create(key), await create(key, BODY, other)];
    expect(theirs.status).toBe(200);
    expect(numbers(theirs.body.data)).not.toEqual(numbers(mine.body.data));
  });

  test('of a request that was refused may be used again', async ({ create }) => {
    const key = randomUUID();
    const refused = await create(key, { ...BODY, Guia: [minimalGuide({ CodigoPostal: '99999' })] });
    expect(refused.status).toBe(400);
    expect((await create(key)).status).toBe(200);
  });

  test('expires in the database after seven days, and keeps numbers alone', async ({ create, entries }) => {
    const all = numbers((await create(randomUUID())).body.data);
    await expect.poll(() => entries.countDocuments({ numbers: all })).toBe(1);
    const record = (await entries.findOne({ numbers: all })) as JournalEntry;
    expect(Object.keys(record).toSorted()).toEqual(['_id', 'bodyHash', 'creation', 'expiresAt', 'numbers']);
    const hours = ((record.expiresAt as Date).getTime() - Date.now()) / 3_600_000;
    expect(hours).toBeGreaterThan(7 * 24 - 0.1);
    // The database's clock is measured to within milliseconds.
    expect(hours).toBeLessThan(7 * 24 + 0.01);
    const indexes = await entries.indexes();
    expect(indexes).toContainEqual(expect.objectContaining({ key: { expiresAt: 1 }, expireAfterSeconds: 0 }));
  });
});
