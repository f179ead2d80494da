import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { Client, type CreatedGuide, minimalGuide } from '#test/fixtures/client.ts';
import { underLoad } from '../clients/under-load.ts';
import type { Part } from '../system/part.ts';
import { test as faultTest } from '../system/system.ts';

/** The most guides of a request (docs/contract.md "Guides"). */
const BATCH = 500;
/** When the process is killed, as parts of the time that such a request takes. */
const MOMENTS = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1];

const test = faultTest
  .override('wanted', { count: { api: 2 } })
  .extend('victim', { scope: 'file' }, ({ system }) => system.apis[0] as Part)
  .extend('other', { scope: 'file' }, ({ system }) => system.apis[1] as Part)
  .extend(
    'stored',
    { scope: 'file' },
    ({ system }) =>
      (key: string) =>
        system.db.collection('guides').distinct('_id', { 'guide.Producto.Contenido': key }),
  );

/** @returns the numbers; undefined where the connection was cut. */
async function create(api: Client, key: string): Promise<string[] | undefined> {
  const guide = { ...minimalGuide(), Producto: { Contenido: key } };
  const body = { TipoServicio: 'Domicilio', Guia: Array.from({ length: BATCH }, () => guide) };
  const answer = await api.post('/api/guias/crear', body, { 'idempotency-key': key }).catch(() => undefined);
  if (answer) expect(answer).toMatchObject({ status: 200 });
  return (answer?.body.data as CreatedGuide[] | undefined)?.map(({ SEND_GUIA }) => SEND_GUIA);
}

test('a batch whose API process is killed is created exactly once when it is repeated with its key', async ({
  other,
  stored,
  system,
  victim,
}) => {
  await underLoad(system, 'kill -9 of one of two API processes, mid-batch', ['cut'], async () => {
    const { token } = await Client.login(other.url);
    const began = performance.now();
    await create(new Client(victim.url, token), randomUUID());
    const usual = performance.now() - began;

    const from = performance.now();
    let cut = 0;
    for (const moment of MOMENTS) {
      await victim.start();
      const key = randomUUID();
      const batch = create(new Client(victim.url, token), key);
      await sleep(moment * usual);
      await victim.kill();
      if (!(await batch)) cut++;
      const numbers = await create(new Client(other.url, token), key);
      expect(new Set(numbers).size).toBe(BATCH);
      expect(await create(new Client(other.url, token), key)).toEqual(numbers);
      expect((await stored(key)).sort()).toEqual(numbers?.sort());
    }
    expect(cut).toBeGreaterThan(0);
    return { from, kills: MOMENTS.length, cut };
  });
});

test('cutting connections to the database again and again loses no acknowledged guide', async ({
  other,
  system,
}) => {
  // One process, so that no balancer takes it for dead and refuses in its place.
  await underLoad(
    { ...system, url: other.url },
    'connections to the database cut 40 times in 4 s',
    [503],
    async () => {
      let cut = 0;
      for (let turn = 0; turn < 40; turn++) {
        cut += system.mongo.proxy?.cut() ?? 0;
        await sleep(100);
      }
      expect(cut).toBeGreaterThan(0);
      return { from: performance.now(), cut };
    },
  );
});
