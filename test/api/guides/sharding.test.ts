import { expect } from 'vitest';
import { Client, minimalGuide } from '#test/fixtures/client.ts';
import { printingTest } from '#test/fixtures/services.ts';
import { recordCommands } from '#test/security/privilege/mongo-commands.ts';

/**
 * What a sharded MongoDB would demand of the api's commands (k8s/operations.md "Sharding MongoDB"), by its documentation: no
 * unique index without the shard key, and the shard key in each write of a single document. There is no sharded one here.
 */

const SHARDED = ['guides', 'creations', 'events'];
type Filter = Record<string, unknown>;

const test = printingTest
  /** The commands that the api sends while it does all that it does with guides. */
  .extend('commands', { scope: 'file' }, async ({ startApi, stores }, { onCleanup }) => {
    const { uri, commands, close } = await recordCommands(stores.mongoUri);
    onCleanup(close);
    const { url } = await startApi({ MONGODB_URI: uri, RETENTION_DAYS: '30' });
    const client = await Client.login(url);
    const key = { 'idempotency-key': 'una-clave' };
    for (const _ of [1, 2]) {
      const guides = [minimalGuide(), minimalGuide()];
      const { status } = await client.post(
        '/api/guias/crear',
        { TipoServicio: 'Domicilio', Guia: guides },
        key,
      );
      expect(status).toBe(200);
    }
    const [guide] = await client.created(minimalGuide());
    expect((await client.pdf(`/api/guias/etiqueta/${guide?.SEND_GUIA}`)).status).toBe(200);
    expect((await client.post(`/api/guias/${guide?.SEND_GUIA}/cancelar`, '')).status).toBe(200);
    await expect.poll(async () => (await client.get('/api/guias')).status).toBe(200);
    return commands;
  })
  .extend('sent', { scope: 'file' }, ({ commands }) => (name: string) => {
    return commands.filter((command) => name in command && SHARDED.includes(String(command[name])));
  });

const namesShardKey = ({ _id }: Filter) =>
  typeof _id === 'string' || (_id as Filter | undefined)?.$in !== undefined;

test('no index is unique, which hashed shard keys exclude', ({ sent }) => {
  const indexes = sent('createIndexes').flatMap(
    ({ indexes }) => indexes as { key: Filter; unique?: boolean; expireAfterSeconds?: number }[],
  );
  expect(indexes.length).toBeGreaterThan(3);
  expect(indexes.filter(({ unique }) => unique)).toEqual([]);
  // An index that expires documents is of one field, on each shard.
  const expiring = indexes.filter(({ expireAfterSeconds }) => expireAfterSeconds !== undefined);
  expect(expiring.map(({ key }) => Object.keys(key))).toEqual(Array(3).fill(['expiresAt']));
});

test('each write of one document names its shard', ({ sent }) => {
  const updates = sent('update').flatMap(({ updates }) => updates as { q: Filter; multi?: boolean }[]);
  const single = updates.filter(({ multi }) => !multi).map(({ q }) => q);
  const deletes = sent('delete').flatMap(({ deletes }) => deletes as { q: Filter; limit: number }[]);
  single.push(...deletes.filter(({ limit }) => limit === 1).map(({ q }) => q));
  single.push(...sent('findAndModify').map(({ query }) => query as Filter));
  expect(single.length).toBeGreaterThan(0);
  expect(single.filter((filter) => !namesShardKey(filter))).toEqual([]);
});
