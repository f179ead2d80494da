import { describe, expect } from 'vitest';
import { anonymiseSection } from '#services/api/guides/anonymise-guides.ts';
import { quotes } from '#services/api/quotes/room.ts';
import { ADJUSTMENT_EXAMPLE } from '#services/api/tracking/examples.ts';
import type { Adjustment } from '#shared/guides/adjustment.ts';
import type { GuideDocument } from '#shared/guides/guide-model.ts';
import type { LogEntry } from '#shared/tracking/event-model.ts';
import { Client, minimalGuide } from '#test/fixtures/client.ts';
import { event, test as events, resultsOf, wordsOf } from '#test/fixtures/events.ts';
import { loadTariff } from '#test/fixtures/tariffs.ts';
import { changed } from './tariffs/demo-tariff.ts';

const GOODS = { Contenido: 'Libros', Peso: 2.5, Largo: 30, Alto: 20, Ancho: 15, ValorDeclarado: 1500 };
const HEAVIER = { Peso: 8, Largo: 40, Alto: 30, Ancho: 30 };
type Option = { SEND_TOTAL: number; Cotizacion: string };
type Told = { Id: string; Ajuste?: Adjustment };

/** Not the current time: a slow machine would change the order of events. */
const BEGAN = Date.now();
const at = (second: number) => new Date(BEGAN + 1_000 * second).toISOString();
const differenceOf = ({ Ajuste }: { Ajuste?: Adjustment }) => Ajuste?.Diferencia;

const test = events
  /** What goods to Monterrey cost now. */
  .extend('quote', { scope: 'file' }, ({ demo }) => async (goods: object = {}) => {
    const Guia = [{ Destinatario: { CodigoPostal: '64000' }, Producto: { ...GOODS, ...goods } }];
    const { body } = await demo.post('/api/guias/cotizar', { TipoServicio: 'Domicilio', Guia });
    return (body.data as [{ Opciones: [Option] }])[0].Opciones[0];
  })
  /** A guide that is created with such a quote. */
  .extend('quoted', { scope: 'file' }, ({ quote, newGuide }) => async (goods: object = {}) => {
    const { Cotizacion } = await quote(goods);
    return newGuide({
      Destinatario: { Nombre: 'Luis', CodigoPostal: '64000' },
      Producto: { ...GOODS, ...goods },
      Cotizacion,
    });
  })
  .extend('unquoted', { scope: 'file' }, ({ newGuide }) => (goods: object = GOODS) => {
    const Destinatario = { Nombre: 'Luis', CodigoPostal: '64000' };
    return newGuide({ Destinatario, Producto: { Contenido: 'Libros', ...goods } });
  })
  /** What a guide without a quote costs by the log, in centavos, or why it has no price: at its creation, and after each event. */
  .extend('pricesOf', { scope: 'file' }, ({ stores }) => async (_id: string) => {
    const { mongo } = stores;
    const guide = await mongo.collection<GuideDocument>('guides').findOne({ _id });
    const entries = mongo.collection<LogEntry>('events').find({ 'told.Guia': _id }).sort({ version: 1 });
    const prices = [guide?.unquoted, ...(await entries.toArray()).map((entry) => entry.unquoted)];
    return prices.map((price) => price && ('total' in price ? price.total : price.noPrice));
  })
  .extend('guideOf', { scope: 'file' }, ({ demo }) => async (number: string) => {
    return (await demo.get(`/api/guias/${number}`)).body.data as {
      SEND_ESTATUS: string;
      Ajuste?: Adjustment;
    };
  })
  .extend('eventsOf', { scope: 'file' }, ({ demo }) => async (number: string) => {
    return (await demo.get(`/api/guias/${number}/eventos`)).body.data as Told[];
  });

describe('a parcel that is weighed again', () => {
  test('costs what a quote of its weight costs, line by line', async ({
    api,
    demo,
    eventsOf,
    guideOf,
    quote,
    quoted,
    register,
    stores,
  }) => {
    const [before, now] = [await quote(), await quote(HEAVIER)];
    const guide = await quoted();
    await register(event(guide, 'Recolectado', { Ocurrido: at(-2) }));
    const page = async () =>
      (await (await fetch(`${api.url}/rastreo/${guide}`)).text()).split('</style>').at(-1);
    const shown = await page();
    const weighing = event(guide, 'Pesaje', { Id: 'p1', Ocurrido: at(-1), Sucursal: 'MTY01', ...HEAVIER });
    expect(wordsOf(await register(weighing))).toEqual(['registrado']);
    expect(wordsOf(await register(weighing))).toEqual(['repetido']);

    const Ajuste = { ...ADJUSTMENT_EXAMPLE, Version: 1 };
    expect([before.SEND_TOTAL, now.SEND_TOTAL]).toEqual([194.3, 257.16]);
    expect([Ajuste.Antes, Ajuste.Ahora, Ajuste.Diferencia]).toEqual([194.3, 257.16, 62.86]);
    expect(await guideOf(guide)).toMatchObject({ SEND_ESTATUS: 'Recolectado', SEND_TOTAL: 194.3, Ajuste });
    const [, told] = await eventsOf(guide);
    expect(told).toEqual({
      ...{ Id: 'p1', Tipo: 'Pesaje', Sucursal: 'MTY01', ...HEAVIER, Ajuste },
      ...{ Ocurrido: weighing.Ocurrido, Registrado: expect.any(String), Anulado: false },
    });
    // Webhooks send what the feed shows.
    const registered = new Date(Date.now() - 6_000);
    await stores.mongo.collection<LogEntry>('events').updateMany({}, { $set: { registered } });
    const feed = (await demo.get('/api/eventos?limite=500')).body.data as object[];
    expect(feed.at(-1)).toMatchObject({ SEND_GUIA: guide, SEND_ESTATUS: 'Recolectado', ...HEAVIER, Ajuste });
    expect(await page()).toBe(shown);
  });

  test('has the last weighing that counts, in whatever order they come', async ({
    eventsOf,
    guideOf,
    quoted,
    register,
  }) => {
    const guide = await quoted();
    const weigh = (Id: string, second: number, goods: object) =>
      register(event(guide, 'Pesaje', { Id, Ocurrido: at(second), ...goods }));
    await weigh('last', 3, { Peso: 8 });
    await weigh('first', 1, { Peso: 25 });
    await weigh('second', 2, { Peso: 1 });
    const difference = async () => differenceOf(await guideOf(guide));
    const annul = (Id: string) =>
      register(event(guide, 'Anulacion', { Id: `no-${Id}`, Anula: Id, Ocurrido: at(9) }));
    expect(await difference()).toBe(62.86);
    await annul('last');
    // 1 kg weighs less than the volume of the quoted sides, 1.8 kg.
    expect(await difference()).toBe(0);
    await annul('second');
    expect(await difference()).toBe(291.01);
    await annul('first');
    expect(await guideOf(guide)).toMatchObject({ Ajuste: { Antes: 194.3, Ahora: 194.3, Diferencia: 0 } });
    // Each event has the guide's adjustment after it, and keeps it.
    const told = new Map((await eventsOf(guide)).map((each) => [each.Id, differenceOf(each)]));
    const inOrder = ['last', 'first', 'second', 'no-last', 'no-second', 'no-first'].map((Id) => told.get(Id));
    expect(inOrder).toEqual([62.86, 62.86, 62.86, 0, 291.01, 0]);
  });

  test('has its packages priced together', async ({ guideOf, quote, quoted, register }) => {
    const guide = await quoted({ Paquetes: 2 });
    const weigh = (second: number, more: object) =>
      register(event(guide, 'Pesaje', { Ocurrido: at(second), ...more }));
    expect(wordsOf(await weigh(1, { Paquete: 3, Peso: 8 }))).toEqual(['campo_formato']);
    await weigh(1, { Paquete: 2, Peso: 8 });
    const { Ajuste } = await guideOf(guide);
    expect(Ajuste).toMatchObject({ Antes: 359.59, Ahora: 422.45, Diferencia: 62.86 });
    expect(Ajuste?.Lineas?.[0]).toEqual({
      ...{ Concepto: 'flete', Descripcion: 'Zona 3, hasta 5 kg; Zona 3, hasta 10 kg' },
      ...{ Antes: 284, Ahora: 338, Diferencia: 54 },
    });
    // Beyond the last weight with a price, each says its own rest.
    await weigh(1, { Paquete: 1, Peso: 31 });
    await weigh(2, { Paquete: 2, Peso: 33 });
    const [freight] = (await guideOf(guide)).Ajuste?.Lineas ?? [];
    expect(freight?.Descripcion).toBe('Zona 3, hasta 30 kg y 1 kg mas; Zona 3, hasta 30 kg y 3 kg mas');
    // All packages at once are those of a quote, also the one that was weighed alone before.
    const each = { ...HEAVIER, Peso: 25 };
    await weigh(3, each);
    const { SEND_TOTAL } = await quote({ ...each, Paquetes: 2 });
    expect((await guideOf(guide)).Ajuste?.Ahora).toBe(SEND_TOTAL);
    await weigh(4, { Paquete: 1, ...HEAVIER, Largo: 110, Alto: 10 });
    // One package is long: its surcharge counts once.
    const long = (await guideOf(guide)).Ajuste?.Lineas?.find(({ Concepto }) => Concepto === 'pieza larga');
    expect(long).toMatchObject({ Antes: 0, Ahora: 90 });
  });

  test('has packages of one weight priced each by its own sides', async ({ guideOf, quoted, register }) => {
    const large = { Peso: 8, Largo: 60, Alto: 50, Ancho: 40 };
    const freightOf = async (...sizes: object[]) => {
      const guide = await quoted({ Paquetes: 2 });
      for (const [i, size] of sizes.entries())
        await register(event(guide, 'Pesaje', { Ocurrido: at(i), Paquete: i + 1, ...size }));
      return (await guideOf(guide)).Ajuste?.Lineas?.find(({ Concepto }) => Concepto === 'flete')?.Ahora ?? 0;
    };
    const [small, big] = [await freightOf(HEAVIER, HEAVIER), await freightOf(large, large)];
    expect(big).toBeGreaterThan(small);
    expect(await freightOf(HEAVIER, large)).toBe((small + big) / 2);
    expect(await freightOf(large, HEAVIER)).toBe((small + big) / 2);
    // The order of the sides is no difference: alike packages have one line.
    const { Largo, Ancho } = HEAVIER;
    expect(await freightOf(HEAVIER, { ...HEAVIER, Largo: Ancho, Ancho: Largo })).toBe(small);
  });

  test('has the price of its own tariff, whatever is in force, and a withdrawn one too', async ({
    api,
    guideOf,
    quote,
    quoted,
    register,
    stores,
    unquoted,
    pricesOf,
  }) => {
    const [guide, bare] = [await quoted(), await unquoted()];
    const dearer = changed('precios.csv', (text) =>
      text.replace(/,(\d+)\.00/g, (_, pesos) => `,${Number(pesos) * 2}.00`),
    );
    const { store } = await loadTariff(api, stores.mongo, dearer);
    expect((await quote(HEAVIER)).SEND_TOTAL).toBeGreaterThan(257.16);
    await register(event(guide, 'Pesaje', { Ocurrido: at(1), ...HEAVIER }));
    const own = { Version: 1, Antes: 194.3, Ahora: 257.16, Diferencia: 62.86 };
    expect((await guideOf(guide)).Ajuste).toMatchObject(own);
    await store.withdraw((await store.entries()).at(-1)?._id ?? 0, 1, 'ana');
    await expect.poll(() => api.contextOf(quotes).tariffs.isWithdrawn(1)).toBe(true);
    await register(event(guide, 'Pesaje', { Ocurrido: at(2), ...HEAVIER, Nota: 'otra vez' }));
    expect((await guideOf(guide)).Ajuste).toMatchObject(own);
    await register(event(bare, 'Pesaje', { Ocurrido: at(2), ...HEAVIER }));
    expect(await pricesOf(bare)).toEqual([19_430, 25_716]);

    // A guide of the later tariff has that one's price.
    const [before, now] = [await quote(), await quote(HEAVIER)];
    const later = await quoted();
    await register(event(later, 'Pesaje', { Ocurrido: at(1), ...HEAVIER }));
    const { Antes, Ahora, Diferencia } = (await guideOf(later)).Ajuste as Required<Adjustment>;
    expect([Antes, Ahora]).toEqual([before.SEND_TOTAL, now.SEND_TOTAL]);
    expect(Diferencia).toBe(Math.round(100 * (Ahora - Antes)) / 100);
  });
});

test('a test account simulates a weighing', async ({ api }) => {
  const client = await Client.login(api.url, 'prueba');
  const price = async (goods: object) => {
    const Guia = [{ Destinatario: { CodigoPostal: '64000' }, Producto: { ...GOODS, ...goods } }];
    const { body } = await client.post('/api/guias/cotizar', { TipoServicio: 'Domicilio', Guia });
    return (body.data as [{ Opciones: [Option] }])[0].Opciones[0];
  };
  const { Cotizacion, SEND_TOTAL: Antes } = await price({});
  const [guide] = await client.created({
    ...minimalGuide(),
    Destinatario: { Nombre: 'Luis', CodigoPostal: '64000' },
    Producto: GOODS,
    Cotizacion,
  });
  const { SEND_TOTAL: Ahora } = await price(HEAVIER);
  const Eventos = [{ Tipo: 'Pesaje', ...HEAVIER }];
  const { status, body } = await client.post(`/api/guias/${guide?.SEND_GUIA}/simular`, { Eventos });
  expect([status, body.data]).toMatchObject([200, [{ Tipo: 'Pesaje', Ajuste: { Antes, Ahora } }]]);
});

describe('a parcel without an adjustment', () => {
  test('has no quote', async ({ demo, guideOf, eventsOf, unquoted, register, stores }) => {
    const guide = await unquoted();
    const before = await guideOf(guide);
    const weighing = event(guide, 'Pesaje', { Id: 'p1', ...HEAVIER });
    expect(wordsOf(await register(weighing))).toEqual(['registrado']);
    // What it costs now is for the bill alone.
    expect(await guideOf(guide)).toEqual(before);
    const { Ocurrido } = weighing;
    const shown = { Id: 'p1', Tipo: 'Pesaje', Ocurrido, ...HEAVIER, Registrado: expect.any(String) };
    expect(await eventsOf(guide)).toEqual([{ ...shown, Anulado: false }]);
    const registered = new Date(Date.now() - 6_000);
    await stores.mongo.collection<LogEntry>('events').updateMany({}, { $set: { registered } });
    const feed = (await demo.get('/api/eventos?limite=500')).body.data as object[];
    const state = { SEND_GUIA: guide, SEND_ESTATUS: 'Documentado', Version: 1 };
    expect(feed.at(-1)).toEqual({ ...shown, ...state });
  });

  test('is too heavy for its tariff: the reason stands there', async ({ guideOf, quoted, register }) => {
    const guide = await quoted();
    await register(event(guide, 'Pesaje', { Peso: 71 }));
    expect((await guideOf(guide)).Ajuste).toEqual({
      ...{ Version: expect.any(Number), Antes: expect.any(Number) },
      SinPrecio: 'el paquete pesa 71 kg, real o volumetrico, y el maximo es 70 kg',
    });
  });

  test('is anonymised, with its postal codes', async ({
    guideOf,
    pricesOf,
    quoted,
    register,
    stores,
    unquoted,
  }) => {
    const [guide, bare] = [await quoted(), await unquoted()];
    await anonymiseSection(stores.mongo, [guide, bare], 'Destinatario');
    expect(await stores.mongo.collection('guides').findOne({ _id: guide as never })).not.toHaveProperty(
      'priced',
    );
    const weighings = [event(guide, 'Pesaje', HEAVIER), event(bare, 'Pesaje', HEAVIER)];
    expect(wordsOf(await register(...weighings))).toEqual(['registrado', 'registrado']);
    expect(await guideOf(guide)).not.toHaveProperty('Ajuste');
    // What it cost stays.
    expect(await pricesOf(bare)).toEqual([expect.any(Number), undefined]);
  });

  test('is registered although its tariff is gone', async ({
    guideOf,
    pricesOf,
    quoted,
    register,
    stores,
    unquoted,
  }) => {
    const [guide, bare] = [await quoted(), await unquoted()];
    const guides = stores.mongo.collection<GuideDocument>('guides');
    await guides.updateOne({ _id: guide }, { $set: { 'quote.Tarifa.Version': 99 } });
    await guides.updateOne({ _id: bare }, { $set: { 'unquoted.version': 99 } });
    const weighings = [event(guide, 'Pesaje', HEAVIER), event(bare, 'Pesaje', HEAVIER)];
    expect(wordsOf(await register(...weighings))).toEqual(['registrado', 'registrado']);
    expect(await guideOf(guide)).not.toHaveProperty('Ajuste');
    expect(await pricesOf(bare)).toEqual([expect.any(Number), undefined]);
  });
});

describe('a parcel without a quote, for the bill', () => {
  const centavos = ({ SEND_TOTAL }: Option) => Math.round(100 * SEND_TOTAL);

  test('costs what was weighed, and without a weighing what it cost', async ({
    pricesOf,
    quote,
    register,
    unquoted,
  }) => {
    const guide = await unquoted();
    await register(event(guide, 'Pesaje', { Id: 'p1', Ocurrido: at(1), ...HEAVIER }));
    // Without sides those of the creation count.
    await register(event(guide, 'Pesaje', { Id: 'p2', Ocurrido: at(2), Peso: 25 }));
    await register(event(guide, 'EnTransito', { Ocurrido: at(3) }));
    for (const Anula of ['p2', 'p1'])
      await register(event(guide, 'Anulacion', { Id: `no-${Anula}`, Anula, Ocurrido: at(4) }));
    const [created, heavier, heavy] = [
      centavos(await quote()),
      centavos(await quote(HEAVIER)),
      centavos(await quote({ Peso: 25 })),
    ];
    expect(new Set([created, heavier, heavy]).size).toBe(3);
    expect(await pricesOf(guide)).toEqual([created, heavier, heavy, undefined, heavier, created]);
  });

  test('has its first price once all of its packages have measures', async ({
    pricesOf,
    quote,
    register,
    unquoted,
  }) => {
    const guide = await unquoted({ Peso: 2.5, Paquetes: 2 });
    const weigh = (second: number, more: object) =>
      register(event(guide, 'Pesaje', { Ocurrido: at(second), ...more }));
    await weigh(1, { Paquete: 1, ...HEAVIER });
    await weigh(2, { Paquete: 2, Peso: 8 });
    await weigh(3, HEAVIER);
    await weigh(4, { ...HEAVIER, Peso: 71 });
    await weigh(5, { ...HEAVIER, Largo: 301 });
    await weigh(6, HEAVIER);
    const priced = centavos(await quote({ ...HEAVIER, ValorDeclarado: 0, Paquetes: 2 }));
    const none = ['no-measures', 'no-measures', 'no-measures'];
    expect(await pricesOf(guide)).toEqual([...none, priced, 'too-heavy', 'too-long', priced]);
  });
});

test.for<[change: object, campo: string, message: string]>([
  [{ Peso: undefined }, 'Peso', "El campo 'Peso' es requerido"],
  [{ Peso: 0 }, 'Peso', "El campo 'Peso' debe ser un numero mayor que 0 y hasta 1000 (kg)"],
  [{ Peso: 8, Largo: 40, Ancho: 30 }, 'Alto', "El campo 'Alto' es requerido"],
  [{ Tipo: 'EnTransito', Peso: 8 }, 'Peso', "El campo 'Peso' solo va con Tipo Pesaje"],
  [{ Peso: 8, Motivo: 'otro' }, 'Motivo', "El campo 'Motivo' solo va con Tipo Incidencia o Devuelto"],
])('a weighing is refused: %j', async ([change, campo, message], { newGuide, register }) => {
  const results = resultsOf(await register({ ...event(await newGuide(), 'Pesaje'), ...change }));
  expect(results).toMatchObject([{ resultado: 'rechazado', campo, message }]);
});
