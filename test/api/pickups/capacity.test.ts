import { expect, vi } from 'vitest';
import { Client } from '#test/fixtures/client.ts';
import { codeOf, everyDay, newAddress, pickupOf, test } from './asking.ts';

/** `Cupo` is never exceeded, whoever asks at the same moment, and a place that is freed is given again. */

vi.setConfig({ testTimeout: 180_000 });

const COUNT = 20;
const MOST = 50;

test('twenty at once in three processes take five places, and no sixth', async ({
  api,
  calendar,
  demo,
  startApi,
  windows,
  stores,
}) => {
  await calendar({ rows: everyDay({ capacity: 5 }) });
  const apis = [api, await startApi(), await startApi()];
  const clients = await Promise.all(apis.map(({ url }) => Client.login(url)));
  const [{ SolicitarAntesDe: _, ...Ventana } = {} as never] = (await windows()) as never as [
    { SolicitarAntesDe: string },
  ];
  const ask = (i: number) =>
    (clients[i % clients.length] as Client).post('/api/recolecciones', {
      ...{ Ventana, Direccion: newAddress(), Paquetes: 1 },
    });
  const answers = await Promise.all(Array.from({ length: COUNT }, (_, i) => ask(i)));
  const codes = answers.map(codeOf);
  expect(codes.filter((code) => code === 200)).toHaveLength(5);
  expect(codes.filter((code) => code === '409 ventana_llena')).toHaveLength(COUNT - 5);
  const places = await stores.mongo.collection('pickups').countDocuments({ place: { $exists: true } });
  expect(places).toBe(5);
  expect((await windows())[0]).not.toMatchObject(Ventana);

  const made = answers.filter(({ status }) => status === 200).map(pickupOf);
  await demo.post(`/api/recolecciones/${made[0]?.Recoleccion}/cancelar`, '');
  const again = (await Promise.all(Array.from({ length: 6 }, (_, i) => ask(i)))).map(codeOf);
  expect(again.filter((code) => code === 200)).toHaveLength(1);
});

test('an account has at most 50 open ones, whatever addresses it names', async ({
  ask,
  calendar,
  demo,
  stores,
}) => {
  await calendar({ rows: everyDay({ from: '07:00', cutoff: '06:00' }) });
  const collection = stores.mongo.collection<{ _id: string }>('pickups');
  await collection.deleteMany({});
  const { Recoleccion } = pickupOf(await ask());
  const stored = await collection.findOne({ _id: Recoleccion });
  const copies = Array.from({ length: MOST - 2 }, (_, i) => ({ ...stored, _id: `R${48291365000 + i}` }));
  await collection.insertMany(
    copies.map(({ addressKey: _, place: __, ...copy }: Record<string, unknown>) => copy as never),
  );
  const last = await ask();
  expect(last.status).toBe(200);
  expect(codeOf(await ask())).toBe('409 recolecciones_abiertas_demasiadas');
  expect(codeOf(await ask({}, { by: await Client.login(demo.url, 'prueba') }))).toBe(200);
  await demo.post(`/api/recolecciones/${pickupOf(last).Recoleccion}/cancelar`, '');
  expect((await ask()).status).toBe(200);
});
