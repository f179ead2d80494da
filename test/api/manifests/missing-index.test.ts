import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { MANIFESTS } from '#shared/manifests/manifest-model.ts';
import { aliveServices } from '#shared/stores/heartbeat.ts';
import { Client, call, minimalGuide } from '#test/fixtures/client.ts';
import { listOf, manifestOf, test as manifests, newGuides } from '#test/fixtures/manifests.ts';
import { passTime } from '#test/fixtures/pass-time.ts';

/** A unique index that a restore or a hand took away while the api runs: each guide is in one manifest all the same. */

/** After so long the indexes are checked again, in ms. */
const CHECKED_AGAIN_MS = 60_000;
const WITHIN = { timeout: 30_000 };
const REFUSED = { status: 503, body: { codigo: 'servicio_no_disponible' } };

const test = manifests
  .extend('collection', { scope: 'file' }, ({ stores }) =>
    stores.mongo.collection<{ _id: string }>(MANIFESTS.name),
  )
  .extend('indexes', { scope: 'file' }, ({ collection }) => async () => {
    const all = await collection.listIndexes().toArray();
    return all.map(({ name }) => name as string);
  })
  /** What the apis tell of missing indexes. */
  .extend('told', { scope: 'file' }, ({ stores }) => async () => {
    const services = await aliveServices(stores.redis, stores.prefix);
    return services.flatMap(({ service, missingIndexes }) => (service === 'api' ? [missingIndexes] : []));
  })
  /** Stores a manifest of the same guides a second time, as it happens without the index. @returns both numbers. */
  .extend('listTwice', { scope: 'file' }, ({ collection, demo, make }) => async (key?: string) => {
    const made = await make(await newGuides(demo, 2), key);
    const stored = await collection.findOne({ _id: manifestOf(made).Manifiesto });
    if (!stored) throw new Error('No manifest');
    const second = { ...stored, _id: `${stored._id}0` };
    await collection.insertOne(second);
    return [stored._id, second._id] as const;
  });

test('an index that is missing is built again within a minute', async ({
  collection,
  demo,
  indexes,
  make,
}) => {
  await collection.dropIndex('guides.number_1');
  passTime(CHECKED_AGAIN_MS);
  await expect.poll(indexes, WITHIN).toContain('guides.number_1');
  const guides = await newGuides(demo, 3);
  const answers = await Promise.all(Array.from({ length: 6 }, () => make(guides)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
});

test('an index for which there are duplicates is named, and no manifest is made until they are gone', async ({
  api,
  collection,
  demo,
  indexes,
  listTwice,
  make,
  startApi,
  told,
}) => {
  const earlier = randomUUID();
  const listed = await newGuides(demo, 1);
  expect(listOf(await make(listed, earlier))).toEqual(listed);
  for (const index of ['guides.number_1', 'key.id_1']) await collection.dropIndex(index);
  const duplicates = [...(await listTwice(randomUUID()))];
  passTime(CHECKED_AGAIN_MS);
  const missing = ['guides.number_1', 'key.id_1'].map((index) => ({
    ...{ collection: 'manifests', index, isUnique: true, duplicates },
  }));
  await expect.poll(told, WITHIN).toEqual([missing]);
  const guides = await newGuides(demo, 3);
  const refused = await make(guides);
  expect(refused).toMatchObject(REFUSED);
  expect(refused.headers.get('retry-after')).toBe('2');
  // Nothing else is refused.
  expect(listOf(await make(listed, earlier))).toEqual(listed);
  expect((await call(`${api.url}/health/ready`)).status).toBe(200);

  // An api that starts now gets ready, and does the same.
  const started = await startApi();
  expect((await call(`${started.url}/health/ready`)).body).not.toHaveProperty('start');
  const client = await Client.login(started.url);
  expect(await client.created(minimalGuide())).toHaveLength(1);
  expect(await client.post('/api/manifiestos', { Guias: guides })).toMatchObject(REFUSED);
  await expect.poll(told, WITHIN).toEqual([missing, missing]);

  await collection.deleteOne({ _id: duplicates[1] as string });
  passTime(CHECKED_AGAIN_MS);
  await expect.poll(told, WITHIN).toEqual([[], []]);
  expect(await indexes()).toEqual(expect.arrayContaining(['guides.number_1', 'key.id_1']));
  const answers = await Promise.all(Array.from({ length: 6 }, () => make(guides)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
});
