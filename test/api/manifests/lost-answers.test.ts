import { randomUUID } from 'node:crypto';
import { describe, expect } from 'vitest';
import { STORE_MS } from '#services/api/guides/attempts.ts';
import { Client } from '#test/fixtures/client.ts';
import { manifestOf, test as manifests, newGuides } from '#test/fixtures/manifests.ts';
import { type Fate, startMongoProxy } from '#test/fixtures/mongo-proxy.ts';
import { passTime } from '#test/fixtures/pass-time.ts';

/** A write of a manifest is lost, or its answer: the manifest exists whole or not at all, and the answer says which. */

type Stored = { _id: string; guides: { number: string }[] };
/** More than the attempts of a request. */
const ALWAYS = 1_000;

const test = manifests
  /** An api whose inserts of manifests meet these fates, and then none. */
  .extend('lossy', { scope: 'file' }, async ({ startApi, stores }, { onCleanup }) => {
    const script: { fates: Fate[] } = { fates: [] };
    const proxy = await startMongoProxy(
      stores.mongoUri,
      ({ insert }) => (insert === 'manifests' && script.fates.shift()) || 'done',
    );
    onCleanup(proxy.close);
    const { url } = await startApi({ MONGODB_URI: proxy.uri });
    const client = await Client.login(url);
    return { client, script };
  })
  .extend('stored', { scope: 'file' }, ({ stores }) => async (guides: readonly string[]) => {
    const collection = stores.mongo.collection<Stored>('manifests');
    const found = await collection.find({ 'guides.number': { $in: [...guides] } }).toArray();
    return found.map(({ _id, guides }) => [_id, guides.map(({ number }) => number)]);
  });

describe('a manifest', () => {
  test.for<Fate>(['answer lost', 'never done', 'not primary', 'not replicated'])(
    'is made once where its write meets: %s',
    async (fate, { demo, lossy: { client, script }, stored }) => {
      const guides = await newGuides(demo, 20);
      script.fates = [fate];
      const answer = await client.post('/api/manifiestos', { Guias: guides });
      expect(answer.status).toBe(200);
      expect(await stored(guides)).toEqual([[manifestOf(answer).Manifiesto, guides]]);
    },
  );

  test('of unknown outcome is whole, and its key gives it', async ({
    demo,
    lossy: { client, script },
    stored,
  }) => {
    const guides = await newGuides(demo, 20);
    const key = { 'idempotency-key': randomUUID() };
    script.fates = Array(ALWAYS).fill('answer lost');
    const asked = client.post('/api/manifiestos', { Guias: guides }, key);
    await expect.poll(() => script.fates.length).toBeLessThan(ALWAYS);
    passTime(STORE_MS);
    const unknown = await asked;
    expect([unknown.status, unknown.body.codigo]).toEqual([503, 'resultado_desconocido']);
    script.fates = [];
    const again = await client.post('/api/manifiestos', { Guias: guides }, key);
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
    expect(await stored(guides)).toEqual([[manifestOf(again).Manifiesto, guides]]);
  });

  test('is refused as another has its guides, although the answer to the first attempt was lost', async ({
    demo,
    make,
    lossy: { client, script },
    stored,
  }) => {
    const guides = await newGuides(demo, 3);
    const { Manifiesto } = manifestOf(await make([guides[2]]));
    script.fates = ['answer lost'];
    const { status, body } = await client.post('/api/manifiestos', { Guias: guides });
    expect(status).toBe(409);
    expect(body.details).toEqual([
      { indice: 2, codigo: 'guia_en_manifiesto', message: expect.stringContaining(Manifiesto) },
    ]);
    expect(await stored(guides)).toEqual([[Manifiesto, [guides[2]]]]);
  });

  test('is one of many that ask for the same guides at once', async ({ demo, make, stored }) => {
    const guides = await newGuides(demo, 30);
    const overlapping = Array.from({ length: 10 }, (_, i) => guides.slice(i, i + 15));
    const answers = await Promise.all(overlapping.map((list) => make(list)));
    const made = answers.filter(({ status }) => status === 200);
    expect(made.length).toBeGreaterThan(0);
    expect(answers.filter(({ status }) => status !== 200).map(({ body }) => body.codigo)).toEqual(
      Array(10 - made.length).fill('guia_en_manifiesto'),
    );
    const all = (await stored(guides)).flatMap(([, list]) => list as string[]);
    expect(new Set(all).size).toBe(all.length);
    expect(all).toHaveLength(15 * made.length);
  });
});
