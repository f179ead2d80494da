import { randomUUID } from 'node:crypto';
import { describe, expect, vi } from 'vitest';
import { Client } from '#test/fixtures/client.ts';
import { event } from '#test/fixtures/events.ts';
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
    const unknown = await lossy.client.post('/api/recolecciones', body, key);
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
    async ([when, write], { demo, guides, read, register, request, scanner, startApi, stored, stores }) => {
      const Guias = await guides(1);
      const Notas = randomUUID();
      const body = await request({ Guias, Notas, Direccion: newAddress() });
      const key = { 'idempotency-key': randomUUID() };
      let isArmed = true;
      const proxy = await startMongoProxy(stores.mongoUri, (command): Fate => {
        if (!isArmed || !WRITES[write](command)) return 'done';
        isArmed = false;
        if (when === 'after') return 'server lost';
        void proxy.close();
        return 'never done';
      });
      const { url, server } = await startApi({ MONGODB_URI: proxy.uri });
      const mortal = new Client(url, demo.token);
      const first = await mortal.post('/api/recolecciones', body, key).catch(() => undefined);
      if (write === 'a change' && first?.status === 200) {
        await mortal.post(`/api/recolecciones/${pickupOf(first).Recoleccion}/cancelar`, '').catch(() => {});
      }
      await proxy.close();
      await server.close().catch(() => {});

      const again = await demo.post('/api/recolecciones', body, key);
      expect(codeOf(again)).toBe(200);
      const { Recoleccion } = pickupOf(again);
      const found = await stored({ notes: Notas });
      expect(found.map(({ _id }) => _id)).toEqual([Recoleccion]);
      expect(found[0]?.place === undefined).toBe(found[0]?.status === 'Cancelada');
      if (found[0]?.status !== 'Cancelada') {
        await register(event(Guias[0] as string, 'Recolectado'));
        await expect
          .poll(async () => (await read(Recoleccion)).Estado, { timeout: 30_000 })
          .toBe('Recolectada');
      }
      expect(scanner).toBeDefined();
      passTime(10_000);
      const untold = async () => (await stored({ notes: Notas }))[0]?.openSince;
      await expect.poll(untold, { timeout: 40_000 }).toBeUndefined();
    },
  );
});
