import { describe, expect, vi } from 'vitest';
import { changePickup } from '#services/api/pickups/change-pickup.ts';
import type { PickupStore } from '#services/api/pickups/pickup-store.ts';
import { pickups as room } from '#services/api/pickups/room.ts';
import { PickupFigures } from '#shared/pickups/overdue-pickups.ts';
import { PICKUPS } from '#shared/pickups/pickup-model.ts';
import { aliveServices } from '#shared/stores/heartbeat.ts';
import { Client } from '#test/fixtures/client.ts';
import { Visitor } from '#test/fixtures/dashboard/visitor.ts';
import { event } from '#test/fixtures/events.ts';
import { passTime } from '#test/fixtures/pass-time.ts';
import { test as asking, codeOf, everyDay, pickupOf } from './asking.ts';

/** What the carrier sees of pick-ups, and what the service does for it by itself. */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

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
}) => {
  await calendar({ rows: everyDay({ automatic: true, from: '08:00', cutoff: '07:00' }) });
  const { Recoleccion } = pickupOf(await ask());
  expect((await read(Recoleccion)).Estado).toBe('Solicitada');
  await move(Recoleccion, -1_000, HOUR);
  await expect.poll(async () => (await read(Recoleccion)).Estado, { timeout: 40_000 }).toBe('Programada');
});

test('a pick-up of which nobody tells anything is counted until it ends, 14 days after its window', async ({
  api,
  ask,
  calendar,
  guides,
  move,
  read,
  register,
  stores,
  tell,
}) => {
  await calendar({ rows: everyDay() });
  const { settler } = api.contextOf(room);
  const figures = new PickupFigures(stores.mongo);
  const Guias = await guides(1);
  const forgotten = pickupOf(await ask({ Guias })).Recoleccion;
  const bare = pickupOf(await ask()).Recoleccion;
  for (const each of [forgotten, bare]) await move(each, -14 * DAY, -14 * DAY + MINUTE);
  expect(await figures.countUnfinished()).toBe(2);
  await settler.giveUp();
  expect(await read(forgotten)).toMatchObject({ Estado: 'Solicitada', Version: 1 });
  for (const each of [forgotten, bare]) await move(each, -14 * DAY - HOUR, -14 * DAY - MINUTE);
  await settler.giveUp();
  for (const each of [forgotten, bare]) {
    expect(await read(each)).toMatchObject({ Estado: 'Fallida', Motivo: 'sin_noticias', Version: 2 });
  }
  expect(await figures.countUnfinished()).toBe(0);
  const next = pickupOf(await ask({ Guias })).Recoleccion;
  await register(event(Guias[0] as string, 'Recolectado'));
  await expect.poll(async () => (await read(next)).Estado).toBe('Recolectada');
  const Ocurrido = new Date(Date.now() - 5 * MINUTE).toISOString();
  expect(await tell({ Recoleccion: forgotten, Estado: 'Recolectada', Ocurrido })).toEqual([
    'recoleccion_terminada',
  ]);
});

test('scans that no look has found end a pick-up before it is given up', async ({
  api,
  ask,
  guides,
  move,
  read,
  register,
  stores,
}) => {
  const Guias = await guides(1);
  const { Recoleccion } = pickupOf(await ask({ Guias }));
  // Its user was moved to another account, and the guides of a colleague stay.
  const collection = stores.mongo.collection<{ _id: string }>('pickups');
  await collection.updateOne({ _id: Recoleccion }, { $set: { account: 'otra' } });
  await register(event(Guias[0] as string, 'Recolectado'));
  await move(Recoleccion, -14 * DAY - HOUR, -14 * DAY - MINUTE);
  await api.contextOf(room).settler.giveUp();
  await collection.updateOne({ _id: Recoleccion }, { $set: { account: 'demo' } });
  expect((await read(Recoleccion)).Estado).toBe('Recolectada');
});

test('a pick-up that cannot be changed keeps none behind it from its turn', async ({
  api,
  ask,
  calendar,
  guides,
  move,
  read,
  register,
}) => {
  await calendar({ rows: everyDay({ automatic: true, from: '08:00', cutoff: '07:00' }) });
  const { pickups, settler } = api.contextOf(room);
  const one = { Guias: await guides(1), number: '' };
  const two = { Guias: await guides(1), number: '' };
  for (const each of [one, two]) each.number = pickupOf(await ask({ Guias: each.Guias })).Recoleccion;
  // Both looks begin with the one that fails.
  const [first, second] = one.number < two.number ? [one, two] : [two, one];
  const update = pickups.update.bind(pickups);
  const broken = vi.spyOn(pickups, 'update').mockImplementation((read, change) => {
    return read._id === first.number ? Promise.reject(new Error('unwritable')) : update(read, change);
  });
  await move(first.number, -2_000, HOUR);
  await move(second.number, -1_000, HOUR);
  await settler.schedule();
  expect((await read(second.number)).Estado).toBe('Programada');
  for (const { Guias } of [first, second]) await register(event(Guias[0] as string, 'Recolectado'));
  await settler.sweep();
  await expect.poll(async () => (await read(second.number)).Estado).toBe('Recolectada');
  expect((await read(first.number)).Estado).toBe('Solicitada');
  // Nothing of it was noted as seen.
  broken.mockRestore();
  await settler.sweep();
  await expect.poll(async () => (await read(first.number)).Estado).toBe('Recolectada');
  await calendar({ rows: everyDay() });
});

test('a change ends as unknown while reads do not see the version that was written', async ({ api, ask }) => {
  const { pickups } = api.contextOf(room);
  const pickup = await pickups.find(pickupOf(await ask()).Recoleccion);
  if (!pickup) throw new Error('It was just made');
  let reads = 0;
  const lagging = {
    clock: pickups.clock,
    update: async () => undefined,
    find: async () => {
      if (++reads > 100) throw new Error('It reads again and again');
      passTime(5_000);
      return pickup;
    },
  } as unknown as PickupStore;
  const change = changePickup(lagging, pickup, { to: 'Programada', occurred: new Date() });
  await expect(change).rejects.toMatchObject({ code: 'pickup-unknown' });
  expect(reads).toBe(2);
});

test('those that nobody looks after are counted, without test accounts, and named by branch', async ({
  api,
  ask,
  calendar,
  move,
  stores,
  tell,
}) => {
  await calendar({ rows: everyDay() });
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
    await expect.poll(missing).toMatchObject([{ index: 'addressKey_1' }]);
    expect(codeOf(await ask())).toBe('503 servicio_no_disponible');
    // Nothing else is refused.
    expect(await tell({ Recoleccion, Estado: 'Programada' })).toEqual(['registrado']);
    expect((await demo.get(`/api/recolecciones/${Recoleccion}`)).status).toBe(200);
    await collection.deleteOne({ _id: double._id });
    passTime(MINUTE);
    await expect.poll(missing).toEqual([]);
    expect((await ask()).status).toBe(200);
    expect(api.url).toBeDefined();
  });
});
