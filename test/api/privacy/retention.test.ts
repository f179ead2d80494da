import type { Redis } from 'ioredis';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { expect, type MockInstance, onTestFinished, vi } from 'vitest';
import { Retention } from '#services/api/privacy/retention.ts';
import { personalEvents } from '#services/api/tracking/personal-data.ts';
import type { GuideDocument } from '#shared/guides/guide-model.ts';
import { DatabaseClock } from '#shared/stores/database-clock.ts';
import { fullGuide } from '#test/fixtures/client.ts';
import { printingTest } from '#test/fixtures/services.ts';
import { setClockAhead } from '#test/fixtures/wrong-clock.ts';

const DAY = 24 * 3_600_000;
/** Every text of a full guide that names somebody, or may do so. */
const { DestinoCode, Estado: _, ...recipient } = fullGuide().Destinatario;
const PERSONAL = [fullGuide().Remitente, recipient, { Contenido: 'Libros', InformacionAdicional: 'Frágil' }]
  .concat(fullGuide().Creado_por as never)
  .flatMap((section) => Object.values<string>(section));

/** A postal code that no other field of the guides has. */
const DESTINATION = '97133';

const test = printingTest
  .extend('guides', { scope: 'file' }, ({ stores }) => stores.mongo.collection<GuideDocument>('guides'))
  /** Creates guides and returns their numbers. */
  .extend('created', { scope: 'file' }, ({ demo }) => async (count: number) => {
    const created = await demo.created(...Array.from({ length: count }, fullGuide));
    return created.map(({ SEND_GUIA }) => SEND_GUIA);
  })
  /** Makes guides as old as this. */
  .extend('age', { scope: 'file' }, ({ guides }) => async (numbers: string[], days: number) => {
    const createdUtc = new Date(Date.now() - days * DAY);
    await guides.updateMany({ _id: { $in: numbers } }, { $set: { createdUtc } });
  })
  /** A retention of 90 days; each test has keys of its own in Redis. */
  .extend('retention', async ({ stores, task }) => {
    return (options: { stepSize?: number; prefix?: string } = {}) => {
      const metrics = new Registry();
      const retention = new Retention({
        mongo: stores.mongo,
        texts: { besideGuides: [personalEvents], ofAccounts: [] },
        clock: new DatabaseClock(stores.mongo),
        redis: stores.redis,
        prefix: `${stores.prefix}:${task.id}`,
        days: 90,
        log: pino({ level: 'silent' }),
        metrics,
        ...options,
      });
      return { retention, metrics };
    };
  });

/** Does something as each step of a pass stores its place. @returns what ends that. */
function onEachStep(redis: Redis, act: () => unknown): () => void {
  const hset = redis.hset.bind(redis) as (...args: unknown[]) => Promise<number>;
  const spy = vi.spyOn(redis, 'hset') as unknown as MockInstance<typeof hset>;
  spy.mockImplementation(async (...args) => {
    if (args[1] === 'position') await act();
    return hset(...args);
  });
  onTestFinished(() => spy.mockRestore());
  return () => spy.mockRestore();
}

test('old guides lose all that names people', async ({ age, created, guides, retention }) => {
  const [old = '', young = ''] = await created(2);
  await age([old], 90.01);
  await age([young], 89.99);
  // A guide may keep its price and its route, which tell the recipient's postal code.
  const priced = { account: 'demo', parcel: { destination: DESTINATION } };
  await guides.updateOne({ _id: old }, { $set: { priced: priced as never, route: 'R-01' } });
  const before = await guides.find({ _id: { $in: [old, young] } }).toArray();
  const { retention: one } = retention();
  await one.runIfDue();

  expect(await guides.findOne({ _id: young })).toEqual(before.find(({ _id }) => _id === young));
  const guide = await guides.findOne({ _id: old });
  const {
    priced: _,
    route: __,
    sought: ___,
    ...others
  } = before.find(({ _id }) => _id === old) as GuideDocument;
  expect(guide).toEqual({
    ...others,
    anonymised: expect.any(Date),
    guide: {
      Remitente: { Nombre: '[anonimizado]' },
      Destinatario: { Nombre: '[anonimizado]', DestinoCode: 'MTY01' },
      Producto: {
        TipoEnvio: 'Paquete',
        ValorDeclarado: 1500.5,
        Contenido: '[anonimizado]',
        Peso: 2.5,
        Largo: 30,
        Alto: 20,
        Ancho: 15,
        Paquetes: 1,
      },
      Creado_por: {},
      Referencia: 'PEDIDO-1042',
      Cobro: { Monto: 450.5, Medios: ['efectivo', 'tarjeta'] },
    },
  });
  // The bill needs it for ever.
  expect(guide?.unquoted).toEqual({ version: 1, total: expect.any(Number) });
  expect(PERSONAL.length).toBeGreaterThan(15);
  for (const personal of PERSONAL) expect(JSON.stringify(guide?.guide)).not.toContain(`"${personal}"`);
  expect(JSON.stringify(guide)).not.toContain(DESTINATION);
});

test('a pass goes on, and is due daily', async ({ age, created, guides, retention, stores, task }) => {
  const numbers = await created(12);
  await age(numbers, 91);
  const anonymised = () => guides.countDocuments({ _id: { $in: numbers }, anonymised: { $exists: true } });
  const { retention: first } = retention({ stepSize: 1 });
  const end = new AbortController();
  const stop = onEachStep(stores.redis, () => end.abort());
  await first.runIfDue(end.signal);
  stop();
  expect(await anonymised()).toBeLessThan(12);

  const state = `${stores.prefix}:${task.id}:retention`;
  const position = await stores.redis.hget(state, 'position');
  expect(await anonymised()).toBe(numbers.filter((number) => number <= (position ?? '')).length);
  await retention().retention.runIfDue();
  expect(await anonymised()).toBe(12);

  // What becomes old today waits for the pass of tomorrow.
  const later = await created(1);
  await age(later, 91);
  await retention().retention.runIfDue();
  expect((await guides.findOne({ _id: later[0] ?? '' }))?.anonymised).toBeUndefined();
  await stores.redis.hset(state, 'finishedAt', Date.now() - DAY);
  await retention().retention.runIfDue();
  expect((await guides.findOne({ _id: later[0] ?? '' }))?.anonymised).toBeInstanceOf(Date);

  // A pass that was cut goes on at once, even if a clock that was set right says that one has finished today.
  const cut = await created(1);
  await age(cut, 91);
  await stores.redis.hset(state, { position: '1', finishedAt: Date.now() - 1_000 });
  await retention().retention.runIfDue();
  expect((await guides.findOne({ _id: cut[0] ?? '' }))?.anonymised).toBeInstanceOf(Date);
  expect(await stores.redis.hget(state, 'position')).toBeNull();
});

test('a process stops whose lease another one has', async ({
  age,
  created,
  guides,
  retention,
  stores,
  task,
}) => {
  const numbers = await created(12);
  await age(numbers, 91);
  const anonymised = () => guides.countDocuments({ _id: { $in: numbers }, anonymised: { $exists: true } });
  const lease = `${stores.prefix}:${task.id}:retention-lease`;
  const stop = onEachStep(stores.redis, () => stores.redis.set(lease, 'another'));
  await retention({ stepSize: 1 }).retention.runIfDue();
  stop();
  expect(await anonymised()).toBeLessThan(12);
  expect(await stores.redis.get(lease)).toBe('another');
});

test('a process whose clock is 400 days ahead, or behind, anonymises nothing', async ({
  age,
  created,
  guides,
  retention,
  stores,
  task,
}) => {
  const [old = '', young = ''] = await created(2);
  await age([old], 91);
  const anonymised = async (number: string) => (await guides.findOne({ _id: number }))?.anonymised;
  const { retention: one, metrics } = retention();
  for (const days of [400, -400]) {
    const setRight = setClockAhead(days * DAY);
    await expect(one.runIfDue()).rejects.toThrow(`${24 * days} h ahead of the database's`);
    setRight();
  }
  expect(await anonymised(old)).toBeUndefined();
  expect(await anonymised(young)).toBeUndefined();
  const { values } = (await metrics.getSingleMetric('retention_last_pass_seconds')?.get()) ?? {};
  expect(Math.abs((values?.[0]?.value ?? 0) - Date.now() / 1_000)).toBeLessThan(60);

  // What another release has stored by such a clock.
  const state = `${stores.prefix}:${task.id}:retention`;
  await stores.redis.hset(state, 'finishedAt', Date.now() + 400 * DAY);
  await one.runIfDue();
  expect(await anonymised(old)).toBeInstanceOf(Date);
  expect(await anonymised(young)).toBeUndefined();
  expect(Number(await stores.redis.hget(state, 'finishedAt'))).toBeLessThan(Date.now() + 60_000);
});

test("the database's clock says how old a guide is", async ({ age, created, guides, retention }) => {
  const [young = ''] = await created(1);
  await age([young], 90 - 1 / 96); // a quarter of an hour too young
  const setRight = setClockAhead(DAY / 48);
  await retention().retention.runIfDue();
  setRight();
  expect((await guides.findOne({ _id: young }))?.anonymised).toBeUndefined();
});

// A pass that fails is tried again after a minute.
test('the api anonymises by itself, as its setting says', { timeout: 150_000 }, async ({
  age,
  created,
  guides,
  startApi,
}) => {
  const [old = '', young = ''] = await created(2);
  await age([old], 8);
  await age([young], 6);
  await startApi({ RETENTION_DAYS: '7' });
  await expect
    .poll(async () => (await guides.findOne({ _id: old }))?.anonymised, { timeout: 120_000 })
    .toBeInstanceOf(Date);
  expect((await guides.findOne({ _id: young }))?.anonymised).toBeUndefined();
});
