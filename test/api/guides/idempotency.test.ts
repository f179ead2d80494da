import { createHash, randomUUID } from 'node:crypto';
import { describe, expect } from 'vitest';
import { Client, type CreatedGuide, minimalGuide } from '#test/fixtures/client.ts';
import { type Fate, startMongoProxy } from '#test/fixtures/mongo-proxy.ts';
import { test as services } from '#test/fixtures/services.ts';

const BODY = { TipoServicio: 'Domicilio', Guia: Array.from({ length: 20 }, () => minimalGuide()) };

const test = services
  .extend('guides', { scope: 'file' }, ({ stores }) =>
    stores.mongo.collection<{ _id: string; username: string; createdUtc?: Date }>('guides'),
  )
  .extend(
    'create',
    { scope: 'file' },
    ({ demo }) =>
      (key: string, body: unknown = BODY, user = demo) =>
        user.post('/api/guias/crear', body, { 'idempotency-key': key }),
  );
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

  test('completes what a crash left half done, with the same numbers', async ({ create, guides }) => {
    const key = randomUUID();
    const first = await create(key);
    const all = numbers(first.body.data);
    // The state after a crash in the middle of the insert: the key is stored, some of the guides are not.
    await guides.deleteMany({ _id: { $in: all.slice(7) } });
    const again = await create(key);
    expect(again.body).toEqual(first.body);
    const stored = await guides.find({ _id: { $in: all } }).toArray();
    expect(stored).toHaveLength(all.length);
    const [moment, ...others] = new Set(stored.map(({ createdUtc }) => createdUtc?.getTime()));
    expect(others).toEqual([]);
    expect(Math.abs(Date.now() - (moment ?? 0))).toBeLessThan(60_000);
  });

  test('gives a new number to a guide whose number another one took meanwhile', async ({
    create,
    guides,
  }) => {
    const key = randomUUID();
    const all = numbers((await create(key)).body.data);
    const [taken = '', ...others] = all;
    await guides.updateOne({ _id: taken }, { $set: { creation: 'another', username: 'otro' } });
    const again = numbers((await create(key)).body.data);
    expect(again.slice(1)).toEqual(others);
    expect(again[0]).not.toBe(taken);
    expect(await guides.countDocuments({ _id: { $in: again } })).toBe(all.length);
    expect(numbers((await create(key)).body.data)).toEqual(again);
    expect((await guides.findOne({ _id: taken }))?.username).toBe('otro');
  });

  test('compares bodies without their white space', async ({ create }) => {
    const key = randomUUID();
    const first = await create(key);
    expect((await create(key, JSON.stringify(BODY, null, 2))).body).toEqual(first.body);
  });

  test('compares bodies whatever the order of their fields', async ({ create }) => {
    const key = randomUUID();
    const first = await create(key);
    const reversed = (value: object): object =>
      Object.fromEntries(
        Object.entries(value)
          .reverse()
          .map(([name, field]) => [
            name,
            name === 'Guia' ? field.map(reversed) : typeof field === 'object' ? reversed(field) : field,
          ]),
      );
    const again = await create(key, reversed(BODY));
    expect(again.status).toBe(200);
    expect(again.body).toEqual(first.body);
  });

  test('that release 1.1 stored is known, by the hash that it stored', async ({ create, stores }) => {
    const key = randomUUID();
    const first = await create(key);
    const keys = stores.mongo.collection('idempotency_keys');
    const { creation } =
      (await stores.mongo
        .collection<{ _id: string; creation: string }>('guides')
        .findOne({ _id: numbers(first.body.data)[0] ?? '' })) ?? {};
    const hash = createHash('sha256')
      .update(JSON.stringify(['Domicilio', BODY.Guia]))
      .digest('base64url');
    expect(await keys.findOne({ creation })).toMatchObject({ bodyHash: hash });
    await keys.updateOne({ creation }, { $unset: { canonicalHash: 1 } });
    expect((await create(key)).body).toEqual(first.body);
    expect((await create(key, { ...BODY, Guia: BODY.Guia.slice(1) })).status).toBe(409);
  });

  test('whose creation was cut, and removed, begins it anew', async ({ create, guides, stores }) => {
    const key = randomUUID();
    const first = numbers((await create(key)).body.data);
    const { creation } =
      (await stores.mongo
        .collection<{ _id: string; creation: string }>('guides')
        .findOne({ _id: first[0] ?? '' })) ?? {};
    const outcomes = stores.mongo.collection<{ _id: string }>('creations');
    await outcomes.updateOne({ _id: creation ?? '' }, { $set: { outcome: 'aborted' } });
    await guides.deleteMany({ _id: { $in: first } });
    const [one, other] = await Promise.all([create(key), create(key)]);
    expect([one.status, other.status]).toEqual([200, 200]);
    expect(numbers(one.body.data)).toEqual(numbers(other.body.data));
    expect(await guides.countDocuments({ _id: { $in: numbers(one.body.data) } })).toBe(BODY.Guia.length);
    expect((await create(key)).headers.get('idempotent-replayed')).toBe('true');
  });

  test('that expires between two looks at it is stored anew', async ({
    create,
    stores,
    startApi,
    onTestFinished,
  }) => {
    const keys = stores.mongo.collection<{ _id: string }>('idempotency_keys');
    const key = randomUUID();
    let looks = 0;
    const proxy = await startMongoProxy(stores.mongoUri, async ({ find, insert }): Promise<Fate> => {
      // Another request stores the key between the first look and the insert; before the second look, it has expired.
      if (insert === 'idempotency_keys' && looks === 1) await create(key);
      if (find === 'idempotency_keys' && ++looks === 2) await keys.deleteMany({});
      return 'done';
    });
    onTestFinished(() => proxy.close());
    const { url } = await startApi({ MONGODB_URI: proxy.uri });
    const { status, headers } = await create(key, BODY, await Client.login(url));
    expect(status).toBe(200);
    expect(looks).toBe(2);
    expect(headers.has('idempotent-replayed')).toBe(false);
    expect(await keys.countDocuments()).toBe(1);
  });

  test('with another body is refused', async ({ create }) => {
    const key = randomUUID();
    await create(key);
    const { status, body } = await create(key, { ...BODY, Guia: BODY.Guia.slice(1) });
    expect(status).toBe(409);
    expect(body.message).toBe('Idempotency-Key ya usada con otro contenido');
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

  test.for([
    ['', 'empty'],
    ['a b', 'with a blank'],
    ['x'.repeat(256), 'of 256 characters'],
    ['ñ', 'not ASCII'],
  ] as const)('is refused: %#', async ([key], { create }) => {
    const { status, body } = await create(key);
    expect(status).toBe(400);
    expect(body.message).toBe('Idempotency-Key debe tener de 1 a 255 caracteres visibles');
  });

  test('expires in the database after seven days', async ({ create, stores }) => {
    await create(randomUUID());
    const keys = stores.mongo.collection('idempotency_keys');
    const [record] = await keys.find({}).sort({ expiresAt: -1 }).limit(1).toArray();
    const hours = (record?.expiresAt.getTime() - Date.now()) / 3_600_000;
    expect(hours).toBeGreaterThan(7 * 24 - 0.1);
    expect(hours).toBeLessThanOrEqual(7 * 24);
    const indexes = await keys.indexes();
    expect(indexes).toContainEqual(expect.objectContaining({ key: { expiresAt: 1 }, expireAfterSeconds: 0 }));
  });
});

describe('a guide number that is taken', () => {
  test('is replaced by another one without the caller noticing', async ({ create, stores }) => {
    const { GuideStore } = await import('#services/api/guides/guide-store.ts');
    const store = new GuideStore(stores.mongo);
    const [number = ''] = numbers((await create(randomUUID())).body.data);
    const record = await store.find(number);
    const mine = { ...record, number, creation: 'mine' } as NonNullable<typeof record>;
    const free = { ...mine, number: '100000000001' };
    expect(await store.insert([free, mine])).toEqual([mine]);
    expect(await store.storedPart([free, mine])).toEqual({ missing: [], taken: [mine] });
    const another = { ...mine, number: '100000000002' };
    expect(await Promise.all([store.insert([another]), store.insert([mine])])).toEqual([[], [mine]]);
    expect((await store.find(number))?.creation).toBe(record?.creation);
  });
});
