import { expect, vi } from 'vitest';
import { Client } from '#test/fixtures/client.ts';
import { codeOf, everyDay, newAddress, pickupOf, test } from './asking.ts';

/** `Cupo` is never exceeded, whoever asks at the same moment, and a place that is freed is given again. */

vi.setConfig({ testTimeout: 180_000 });

const COUNT = 20;

test('twenty at once in three processes take five places, and no sixth', async ({
  api,
  calendar,
  demo,
  startApi,
  windows,
  stores,
}) => {
  await calendar({ rows: everyDay({ capacity: 5 }) });
  await expect.poll(async () => (await windows())[0]?.Desde).toBe('09:00');
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
