import { pino } from 'pino';
import { Registry } from 'prom-client';
import { expect, vi } from 'vitest';
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
        kinds: [personalEvents],
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

test('old guides lose all that names people', async ({ age, created, guides, retention }) => {
  const [old = '', young = ''] = await created(2);
  await age([old], 90.01);
  await age([young], 89.99);
  const before = await guides.find({ _id: { $in: [old, young] } }).toArray();
  const { retention: one, metrics } = retention();
  await one.runIfDue();

  expect(await guides.findOne({ _id: young })).toEqual(before.find(({ _id }) => _id === young));
  const guide = await guides.findOne({ _id: old });
  expect(guide).toEqual({
    ...before.find(({ _id }) => _id === old),
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
    },
  });
  expect(PERSONAL.length).toBeGreaterThan(15);
  for (const personal of PERSONAL) expect(JSON.stringify(guide?.guide)).not.toContain(`"${personal}"`);
  expect(await metrics.metrics()).toContain('guides_anonymised_total 1');
});

test('a pass goes on, and is due daily', async ({ age, created, guides, retention, stores, task }) => {
  const numbers = await created(12);
  await age(numbers, 91);
  const anonymised = () => guides.countDocuments({ _id: { $in: numbers }, anonymised: { $exists: true } });
  const { retention: first } = retention({ stepSize: 1 });
  const end = new AbortController();
  const running = first.runIfDue(end.signal);
  await vi.waitFor(async () => expect(await anonymised()).toBeGreaterThan(0), 10_000);
  end.abort();
  await running;
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

test('the api anonymises by itself, as its setting says', async ({ age, created, guides, startApi }) => {
  const [old = '', young = ''] = await created(2);
  await age([old], 8);
  await age([young], 6);
  await startApi({ RETENTION_DAYS: '7' });
  await expect
    .poll(async () => (await guides.findOne({ _id: old }))?.anonymised, { timeout: 10_000 })
    .toBeInstanceOf(Date);
  expect((await guides.findOne({ _id: young }))?.anonymised).toBeUndefined();
});
