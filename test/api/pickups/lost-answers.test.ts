import { randomUUID } from 'node:crypto';
import { describe, expect, vi } from 'vitest';
import { STORE_MS } from '#services/api/guides/attempts.ts';
import { NewsSweep } from '#services/api/webhooks/news.ts';
import { webhooks } from '#services/api/webhooks/room.ts';
import { Client } from '#test/fixtures/client.ts';
import { event } from '#test/fixtures/events.ts';
import { finishCut } from '#test/fixtures/finish-cut.ts';
import { type Fate, type MongoCommand, startMongoProxy } from '#test/fixtures/mongo-proxy.ts';
import { passTime } from '#test/fixtures/pass-time.ts';
import { test as asking, codeOf, everyDay, newAddress, pickupOf } from './asking.ts';

/** A write of a pick-up is lost, or its answer, or the process dies there: nothing is done twice, and no place stays taken. */

type Stored = { _id: string; status: string; place?: string; openSince?: Date; key?: { id: string } };
/** More than the attempts of a request. */
const ALWAYS = 1_000;
const FATES: Fate[] = ['answer lost', 'never done', 'not primary', 'not replicated'];
const WRITES = {
  'the insert': ({ insert }: MongoCommand) => insert === 'pickups',
  'a change': (command: MongoCommand) => (command as { findAndModify?: string }).findAndModify === 'pickups',
  'the end of its news': ({ update }: MongoCommand) => update === 'pickups',
};

vi.setConfig({ testTimeout: 180_000 });

const test = asking
  /** An api of which some writes of pick-ups meet these fates, and then none. */
  .extend('lossy', { scope: 'file' }, async ({ startApi, stores }, { onCleanup }) => {
    const script: { isMet: (command: MongoCommand) => boolean; fates: Fate[] } = {
      isMet: WRITES['the insert'],
      fates: [],
    };
    const proxy = await startMongoProxy(stores.mongoUri, (command) =>
      script.isMet(command) ? (script.fates.shift() ?? 'done') : 'done',
    );
    onCleanup(proxy.close);
    const { url } = await startApi({ MONGODB_URI: proxy.uri });
    return { client: await Client.login(url), script };
  })
  .extend(
    'stored',
    { scope: 'file' },
    ({ stores }) =>
      (filter: object) =>
        stores.mongo.collection<Stored>('pickups').find(filter).toArray(),
  );

describe('a pick-up', () => {
  test.for<Fate>(FATES)(
    'is made once where its write meets: %s',
    async (fate, { calendar, lossy, request, stored }) => {
      await calendar({ rows: everyDay({ capacity: 50 }) });
      lossy.script.isMet = WRITES['the insert'];
      const Notas = randomUUID();
      const body = await request({ Notas });
      lossy.script.fates = [fate];
      const answer = await lossy.client.post('/api/recolecciones', body);
      expect(codeOf(answer)).toBe(200);
      const found = await stored({ notes: Notas });
      expect(found.map(({ _id }) => _id)).toEqual([pickupOf(answer).Recoleccion]);
      expect(found[0]?.place).toBeDefined();
    },
  );

  test('of unknown outcome takes one place, and its key gives it', async ({ lossy, request, stored }) => {
    lossy.script.isMet = WRITES['the insert'];
    const Notas = randomUUID();
    const body = await request({ Notas });
    const key = { 'idempotency-key': randomUUID() };
    lossy.script.fates = Array(ALWAYS).fill('answer lost');
    const asked = lossy.client.post('/api/recolecciones', body, key);
    await expect.poll(() => lossy.script.fates.length).toBeLessThan(ALWAYS);
    passTime(STORE_MS);
    const unknown = await asked;
    expect(codeOf(unknown)).toBe('503 resultado_desconocido');
    lossy.script.fates = [];
    const again = await lossy.client.post('/api/recolecciones', body, key);
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
    expect((await stored({ notes: Notas })).map(({ _id }) => _id)).toEqual([pickupOf(again).Recoleccion]);
  });

  test.for<Fate>(FATES)(
    'is cancelled once where its write meets: %s',
    async (fate, { ask, lossy, stored }) => {
      const { Recoleccion } = pickupOf(await ask());
      lossy.script.isMet = WRITES['a change'];
      lossy.script.fates = [fate];
      const answer = await lossy.client.post(`/api/recolecciones/${Recoleccion}/cancelar`, '');
      expect(pickupOf(answer)).toMatchObject({ Estado: 'Cancelada', Version: 2 });
      expect((await stored({ _id: Recoleccion }))[0]).not.toHaveProperty('place');
    },
  );
});

describe('an api that dies', () => {
  const MOMENTS = Object.keys(WRITES).flatMap((write) =>
    (['before', 'after'] as const).map((when) => [when, write as keyof typeof WRITES] as const),
  );

  test.for(MOMENTS)(
    '%s %s leaves no place taken, and another one goes on',
    async ([when, write], {
      api,
      demo,
      guides,
      read,
      register,
      request,
      scanner,
      startApi,
      stored,
      stores,
    }) => {
      const Guias = await guides(1);
      const Notas = randomUUID();
      const body = await request({ Guias, Notas, Direccion: newAddress() });
      const key = { 'idempotency-key': randomUUID() };
      const met = Promise.withResolvers<void>();
      let isDead = false;
      const proxy = await startMongoProxy(stores.mongoUri, (command): Fate => {
        if (isDead || !WRITES[write](command)) return isDead ? 'never done' : 'done';
        isDead = true;
        met.resolve();
        return when === 'after' ? 'server lost' : 'never done';
      });
      const { url, server } = await startApi({ MONGODB_URI: proxy.uri });
      const mortal = new Client(url, demo.token);
      const use = async () => {
        const first = await mortal.post('/api/recolecciones', body, key);
        if (write !== 'a change') return;
        await mortal.post(`/api/recolecciones/${pickupOf(first).Recoleccion}/cancelar`, '');
      };
      use().catch(() => {});
      await met.promise;
      // A server that is lost after a write has done it first.
      await (when === 'after' ? proxy.closed : proxy.close());
      void server.close().catch(() => {}); // it still tries, and reaches nothing

      const again = await demo.post('/api/recolecciones', body, key);
      expect(codeOf(again)).toBe(200);
      const { Recoleccion } = pickupOf(again);
      const found = await stored({ notes: Notas });
      expect(found.map(({ _id }) => _id)).toEqual([Recoleccion]);
      expect(found[0]?.place === undefined).toBe(found[0]?.status === 'Cancelada');
      if (found[0]?.status !== 'Cancelada') {
        await register(event(Guias[0] as string, 'Recolectado'));
        await expect.poll(async () => (await read(Recoleccion)).Estado).toBe('Recolectada');
      }
      expect(scanner).toBeDefined();
      await finishCut(new NewsSweep(api.contextOf(webhooks).topics));
      expect((await stored({ notes: Notas }))[0]).not.toHaveProperty('openSince');
    },
  );
});
