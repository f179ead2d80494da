import { describe, expect, vi } from 'vitest';
import { PickupFigures } from '#shared/pickups/overdue-pickups.ts';
import { PICKUPS } from '#shared/pickups/pickup-model.ts';
import { aliveServices } from '#shared/stores/heartbeat.ts';
import { Client } from '#test/fixtures/client.ts';
import { Visitor } from '#test/fixtures/dashboard/visitor.ts';
import { passTime } from '#test/fixtures/pass-time.ts';
import { test as asking, codeOf, everyDay, pickupOf } from './asking.ts';

/** What the carrier sees of pick-ups, and what the service does for it by itself. */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

vi.setConfig({ testTimeout: 180_000 });

const test = asking
  /** Moves the window of a pick-up: its cut-off and its end, in ms from now. */
  .extend('move', { scope: 'file' }, ({ stores }) => (number: string, closes: number, ends: number) => {
    const at = (ms: number) => new Date(Date.now() + ms);
    const window = { 'window.closesAt': at(closes), 'window.endsAt': at(ends) };
    return stores.mongo.collection<{ _id: string }>('pickups').updateOne({ _id: number }, { $set: window });
  });

test('a pick-up is scheduled by itself at its cut-off where the calendar says so', async ({
  ask,
  calendar,
  move,
  read,
  windows,
}) => {
  await calendar({ rows: everyDay({ automatic: true, from: '08:00', cutoff: '07:00' }) });
  await expect.poll(async () => (await windows())[0]?.Desde).toBe('08:00');
  const { Recoleccion } = pickupOf(await ask());
  expect((await read(Recoleccion)).Estado).toBe('Solicitada');
  await move(Recoleccion, -1_000, HOUR);
  await expect.poll(async () => (await read(Recoleccion)).Estado, { timeout: 40_000 }).toBe('Programada');
});

test('those that nobody looks after are counted, without test accounts, and named by branch', async ({
  api,
  ask,
  calendar,
  move,
  stores,
  tell,
  windows,
}) => {
  await calendar({ rows: everyDay() });
  await expect.poll(async () => (await windows())[0]?.Desde).toBe('09:00');
  const figures = new PickupFigures(stores.mongo);
  const ofNow = () => figures.overdue();
  const asked = async (by?: Client) => pickupOf(await ask({}, by && { by })).Recoleccion;
  const [early, late, told, test] = [
    await asked(),
    await asked(),
    await asked(),
    await asked(await Client.login(api.url, 'prueba')),
  ];
  expect(await ofNow()).toEqual({ unscheduled: 0, unfinished: 0, branches: [] });
  await move(early, -2 * MINUTE, HOUR);
  await move(late, -9 * HOUR, -2 * HOUR - MINUTE);
  await move(told, -9 * HOUR, -3 * HOUR);
  await move(test, -9 * HOUR, -3 * HOUR);
  await tell({ Recoleccion: told, Estado: 'Fallida', Motivo: 'sin_vehiculo' });
  expect(await ofNow()).toEqual({ unscheduled: 1, unfinished: 1, branches: ['MEX01'] });
  await tell({ Recoleccion: early, Estado: 'Programada' }, { Recoleccion: late, Estado: 'Recolectada' });
  expect(await ofNow()).toEqual({ unscheduled: 0, unfinished: 0, branches: [] });
});

test('the page for support shows a pick-up without names and addresses, and records who looks', async ({
  ask,
  dashboard,
  stores,
}) => {
  const { Recoleccion } = pickupOf(await ask({ Notas: 'Preguntar por Marta' }));
  const visitor = new Visitor(dashboard.url);
  await visitor.login('soporte');
  const path = `/soporte/recoleccion/${Recoleccion}`;
  const body = new URLSearchParams({ buscar: Recoleccion.toLowerCase(), cuenta: '' });
  const found = await visitor.send('POST', '/soporte', { body });
  expect([found.status, found.headers.get('location')]).toEqual([303, path]);
  const { status, text } = await visitor.page(path);
  expect(status).toBe(200);
  for (const words of [Recoleccion, 'Solicitada', 'MEX01', 'de 09:00 a 13:00']) expect(text).toContain(words);
  expect(text).not.toMatch(/Ana López|Marta|5512345678|Calle \d/);
  const trail = await stores.mongo.collection('audit').find({ action: 'support.pickup' }).toArray();
  expect(trail).toMatchObject([{ actor: 'soporte', details: { pickup: Recoleccion } }]);
  expect((await visitor.page('/soporte/recoleccion/R48291365075')).status).toBe(404);
});

describe('a unique index that is missing', () => {
  test('keeps pick-ups from being asked for until it is there again', async ({
    api,
    ask,
    demo,
    stores,
    tell,
  }) => {
    const collection = stores.mongo.collection<{ _id: string; place?: string }>(PICKUPS.name);
    const { Recoleccion } = pickupOf(await ask());
    await collection.dropIndex('addressKey_1');
    const stored = await collection.findOne({ _id: Recoleccion });
    const double = { ...stored, _id: 'R48291365074' };
    await collection.insertOne(double);
    passTime(MINUTE);
    const missing = async () =>
      (await aliveServices(stores.redis, stores.prefix)).flatMap(({ missingIndexes = [] }) => missingIndexes);
    await expect.poll(missing, { timeout: 30_000 }).toMatchObject([{ index: 'addressKey_1' }]);
    expect(codeOf(await ask())).toBe('503 servicio_no_disponible');
    // Nothing else is refused.
    expect(await tell({ Recoleccion, Estado: 'Programada' })).toEqual(['registrado']);
    expect((await demo.get(`/api/recolecciones/${Recoleccion}`)).status).toBe(200);
    await collection.deleteOne({ _id: double._id });
    passTime(MINUTE);
    await expect.poll(missing, { timeout: 30_000 }).toEqual([]);
    expect((await ask()).status).toBe(200);
    expect(api.url).toBeDefined();
  });
});
