import { describe, expect } from 'vitest';
import { run } from '#services/api/cli.ts';
import { quotes } from '#services/api/quotes/room.ts';
import type { TariffFolder } from '#services/api/quotes/tariffs/tariff-files.ts';
import { TariffStore } from '#services/api/quotes/tariffs/tariff-store.ts';
import { readGuidePricings } from '#shared/actions/action-counts.ts';
import { GUIDES } from '#shared/guides/guide-model.ts';
import { modelOf } from '#shared/stores/collection.ts';
import { timeOf } from '#shared/stores/redis-clock.ts';
import { type Answer, Client, minimalGuide } from '#test/fixtures/client.ts';
import { runCommand } from '#test/fixtures/operators/command.ts';
import { passTime } from '#test/fixtures/pass-time.ts';
import { test as services } from '#test/fixtures/services.ts';
import { loadTariff } from '#test/fixtures/tariffs.ts';
import { scrape } from '#test/fixtures/telemetry/metrics.ts';
import { demoFolder } from './tariffs/demo-tariff.ts';

/** Guides without a quote: what they cost, for the bill, and by the setting of their account. */

const MEASURES = { Peso: 2.5, Largo: 30, Alto: 20, Ancho: 15 };
const GOODS = { Contenido: 'Libros', ValorDeclarado: 1500, ...MEASURES };

/** A guide that costs 194.30 by the demo tariff, with parts replaced. */
function guide(Producto: object = {}, destination: Record<string, unknown> = { CodigoPostal: '64000' }) {
  return { ...minimalGuide(destination), Producto: { ...GOODS, ...Producto } };
}

/** Within which a setting of an account is in force, in ms (docs/contract.md "Limits"). */
const IN_FORCE = 10_000;

/** More than all tests let pass, in ms, and less than the window of the counts. */
const AHEAD = 900_000;

const test = services
  .extend('stored', ({ stores }) => async (created: unknown) => {
    const numbers = (created as { SEND_GUIA: string }[]).map(({ SEND_GUIA }) => SEND_GUIA);
    const found = await modelOf(stores.mongo, GUIDES)
      .find({ _id: { $in: numbers } })
      .sort({ _id: 1 })
      .lean();
    return numbers.map((number) => found.find(({ _id }) => _id === number));
  })
  /** Runs `npm run admin -- limits otro …`, and waits until every process knows. */
  .extend('limits', ({ stores }, { onCleanup }) => {
    const limits = async (...args: string[]) => {
      const { code, out, err } = await runCommand(run, ['limits', 'otro', ...args], {
        env: { MONGODB_URI: stores.mongoUri },
      });
      expect([code, err]).toEqual([0, '']);
      passTime(IN_FORCE);
      return out;
    };
    onCleanup(async () => void (await limits('--cotizar', 'no')));
    return limits;
  })
  .extend('otro', ({ api }) => Client.login(api.url, 'otro'))
  /** Puts a version in force that this release cannot read, until the end of the test. */
  .extend('unreadable', async ({ api, stores }, { onCleanup }) => {
    const store = new TariffStore(stores.mongo);
    const last = (await store.entries()).at(-1)?._id ?? 0;
    const folder: TariffFolder = new Map([['precios.csv', Buffer.from('Lista\n')]]);
    const version = await store.add(last, { folder, from: new Date(), by: 'ana' });
    const { tariffs } = api.contextOf(quotes);
    const inForce = () => expect.poll(() => tariffs.versionAt(Date.now()));
    await inForce().toBe(version);
    onCleanup(async () => {
      await store.withdraw(version, version, 'ana');
      await inForce().toBe(1);
    });
    return version;
  });

describe('what a guide without a quote costs', () => {
  test('is kept for the bill, and not told', async ({ demo, stored }) => {
    const created = await demo.created(guide());
    expect(created).toMatchObject([{ SEND_FLETE: 0, SEND_TOTAL: 0 }]);
    const [found] = await stored(created);
    expect(found).toMatchObject({ freight: 0, total: 0, unquoted: { version: 1, total: 19_430 } });
    expect(found?.priced).toEqual({
      account: 'demo',
      parcel: {
        ...{ origin: '06600', destination: '64000', service: 'Domicilio', type: '', packages: 1 },
        ...{ grams: 2_500, sides: [150, 200, 300], declared: 150_000 },
      },
    });
    const { body } = await demo.get(`/api/guias/${created[0]?.SEND_GUIA}`);
    expect(JSON.stringify(body)).not.toMatch(/194\.3|unquoted|Tarifa|Conceptos/);
  });

  test('is kept of every guide of a creation, or why it has none', async ({ demo, stored }) => {
    const headers = { 'idempotency-key': 'one-of-each-reason' };
    const Guia = [
      guide(),
      guide({ Peso: 0 }),
      guide({ Largo: undefined }),
      guide({ Peso: 71 }),
      guide({ Largo: 150.1 }),
      guide({}, { DestinoCode: 'MTY01' }),
    ];
    const sent = { TipoServicio: 'Domicilio', Guia };
    const { body } = await demo.post('/api/guias/crear', sent, headers);
    const found = await stored(body.data);
    expect(found.map((each) => each?.unquoted)).toEqual([
      { version: 1, total: 19_430 },
      { version: 1, noPrice: 'no-measures' },
      { version: 1, noPrice: 'no-measures' },
      { version: 1, noPrice: 'too-heavy' },
      { version: 1, noPrice: 'too-long' },
      { version: 1, total: 19_430 },
    ]);
    const parcels = found.map((each) => each?.priced?.parcel);
    expect(parcels[1]).not.toHaveProperty('grams');
    expect(parcels[1]).toMatchObject({ sides: [150, 200, 300] });
    expect(parcels[2]).not.toHaveProperty('sides');
    expect(parcels[2]).toMatchObject({ grams: 2_500 });

    const again = await demo.post('/api/guias/crear', sent, headers);
    expect(again.body.data).toEqual(body.data);
  });

  test('is by the tariff of its creation, whatever comes later', async ({ api, stores, demo, stored }) => {
    const before = await demo.created(guide());
    const { store, version } = await loadTariff(
      api,
      stores.mongo,
      new Map([...demoFolder, ['precios.csv', dearer(demoFolder.get('precios.csv'))]]),
    );
    const after = await demo.created(guide());
    await store.withdraw(version, version, 'ana');
    await expect.poll(() => api.contextOf(quotes).tariffs.at(Date.now())?.version).toBe(1);
    const [old, dear, now] = await stored([...before, ...after, ...(await demo.created(guide()))]);
    expect([old?.unquoted, now?.unquoted]).toEqual([
      { version: 1, total: 19_430 },
      { version: 1, total: 19_430 },
    ]);
    expect(dear?.unquoted).toEqual({ version, total: expect.toSatisfy((total) => total > 19_430) });
  });

  test('is not known while the tariff in force cannot be read', async ({ demo, stored, unreadable }) => {
    const [found] = await stored(await demo.created(guide()));
    expect(found?.unquoted).toEqual({ version: unreadable, noPrice: 'tariff-unread' });
    expect(found?.priced).toMatchObject({ account: 'demo', parcel: { grams: 2_500 } });
  });
});

describe('an account whose guides are priced at their creation', () => {
  test('has guides as if they had been quoted', async ({ limits, otro, stored }) => {
    expect(await limits('--cotizar', 'al_crear')).toContain(
      'Sus guias sin cotizacion se cotizan al crearlas (al_crear)',
    );
    const sent = { TipoServicio: 'Domicilio', Guia: [guide()] };
    const valid = await otro.post('/api/guias/validar', sent);
    expect(valid.body.data).toMatchObject([{ SEND_FLETE: 163, SEND_TOTAL: 239.83 }]);
    const { body } = await otro.post('/api/guias/crear', sent);
    expect(body).not.toHaveProperty('advertencias');
    const [created] = body.data as { SEND_GUIA: string }[];
    expect(created).toMatchObject({ SEND_FLETE: 163, SEND_TOTAL: 239.83 });
    const { data } = (await otro.get(`/api/guias/${created?.SEND_GUIA}`)).body;
    expect(data).toMatchObject({
      ...{ SEND_TOTAL: 239.83, Tarifa: { Version: 1, Lista: 'publica' }, Peso: { Cobrado: 3 } },
      EntregaEstimada: { Desde: expect.any(String) },
    });
    const [found] = await stored(body.data);
    expect(found).not.toHaveProperty('unquoted');
    expect(found?.priced).toMatchObject({ account: 'otro', parcel: { grams: 2_500 } });
  });

  test('is warned of a guide without a price, and of a repeated one', async ({ limits, otro, stored }) => {
    await limits('--cotizar', 'al_crear');
    const sent = {
      TipoServicio: 'Domicilio',
      Guia: [guide(), guide({ Peso: 71 }), guide({ Peso: undefined, Alto: 0 }), guide({ Largo: 150.1 })],
    };
    const warned = [
      [1, 'Producto.Peso', 'La guía no tiene precio: el paquete pesa más de lo que la tarifa admite'],
      [2, 'Producto.Peso', 'La guía no tiene precio: falta Producto.Peso, Producto.Alto'],
      [3, 'Producto.Largo', 'La guía no tiene precio: un lado mide más de lo que la tarifa admite'],
    ].map(([indice, campo, message]) => ({ indice, campo, codigo: 'sin_precio', message }));
    const valid = await otro.post('/api/guias/validar', sent);
    expect([valid.status, valid.body.advertencias]).toEqual([200, warned]);
    expect(valid.body.data).toEqual([
      expect.objectContaining({ SEND_TOTAL: 239.83 }),
      ...[1, 2, 3].map((indice) => ({ indice, SEND_SUCU_ORIG: 'GDL01', SEND_SUCU_DEST: 'MTY01' })),
    ]);
    const headers = { 'idempotency-key': 'without-a-price' };
    const first = await otro.post('/api/guias/crear', sent, headers);
    expect(first.body.advertencias).toEqual(warned);
    expect(first.body.data).toMatchObject([
      { SEND_TOTAL: 239.83 },
      ...warned.map(() => ({ SEND_FLETE: 0, SEND_TOTAL: 0 })),
    ]);
    expect((await stored(first.body.data)).map((found) => found?.unquoted)).toEqual([
      undefined,
      ...['too-heavy', 'no-measures', 'too-long'].map((noPrice) => ({ version: 1, noPrice, warned: true })),
    ]);
    const again = await otro.post('/api/guias/crear', sent, headers);
    expect([again.headers.get('idempotent-replayed'), again.body.advertencias]).toEqual(['true', warned]);
  });

  test('is warned by validar of no guide whose other fields are wrong', async ({ limits, otro }) => {
    await limits('--cotizar', 'al_crear');
    const tooHeavy = guide({ Peso: 71 });
    const wrong = { ...tooHeavy, Remitente: { Nombre: 'Ana', Telefono: '1' } };
    const sent = { TipoServicio: 'Domicilio', Guia: [wrong, tooHeavy] };
    const { body } = await otro.post('/api/guias/validar', sent);
    expect([body.codigo, warned(body)]).toEqual(['campo_formato', [[1, 'sin_precio']]]);
  });

  test('is warned of the same first fifty by crear, its repeated answer and validar', async ({
    limits,
    otro,
  }) => {
    await limits('--cotizar', 'al_crear');
    const doubtful = guide({ Peso: 71 }, { DestinoCode: 'MTY01', CodigoPostal: '06600' });
    const sent = { TipoServicio: 'Domicilio', Guia: Array.from({ length: 30 }, () => doubtful) };
    const first = [
      ...Array.from({ length: 30 }, (_, indice) => [indice, 'cp_y_destino_distintos']),
      ...Array.from({ length: 20 }, (_, indice) => [indice, 'sin_precio']),
    ];
    for (const path of ['validar', 'crear', 'crear']) {
      const { body } = await otro.post(`/api/guias/${path}`, sent, { 'idempotency-key': 'fifty-warnings' });
      expect([path, warned(body)]).toEqual([path, first]);
    }
  });

  test('is warned by a repeated answer as by the first, whatever is set since', async ({ limits, otro }) => {
    const sent = { TipoServicio: 'Domicilio', Guia: [guide({ Peso: 71 })] };
    const answerTo = async (key: string) =>
      (await otro.post('/api/guias/crear', sent, { 'idempotency-key': key })).body;
    const unwarned = await answerTo('before-the-setting');
    await limits('--cotizar', 'al_crear');
    const warnedOf = await answerTo('with-the-setting');
    expect([unwarned, warnedOf].map(warned)).toEqual([undefined, [[0, 'sin_precio']]]);
    expect(await answerTo('before-the-setting')).toEqual(unwarned);
    await limits('--cotizar', 'no');
    expect(await answerTo('with-the-setting')).toEqual(warnedOf);
  });

  test('creates nothing while the tariff in force cannot be read', async ({ limits, otro, unreadable }) => {
    expect(unreadable).toBeGreaterThan(1);
    const sent = { TipoServicio: 'Domicilio', Guia: [guide()] };
    for (const way of ['al_crear', 'exigir']) {
      await limits('--cotizar', way);
      for (const path of ['crear', 'validar']) {
        expect(await statusOf(otro.post(`/api/guias/${path}`, sent))).toEqual([
          503,
          'servicio_no_disponible',
        ]);
      }
    }
  });
});

describe('an account whose guides need a quote', () => {
  test('creates none without one', async ({ limits, otro }) => {
    expect(await limits('--cotizar', 'exigir')).toContain('Sus guias sin cotizacion se rechazan (exigir)');
    const quoted = await otro.post('/api/guias/cotizar', { TipoServicio: 'Domicilio', Guia: [guide()] });
    const [{ Opciones: [{ Cotizacion = '' } = {}] = [] } = {}] = quoted.body.data as {
      Opciones: { Cotizacion: string }[];
    }[];
    const sent = { TipoServicio: 'Domicilio', Guia: [guide(), { ...guide(), Cotizacion }, guide()] };
    for (const path of ['crear', 'validar']) {
      const { status, body } = await otro.post(`/api/guias/${path}`, sent);
      expect([status, body.codigo, body.details]).toEqual([
        ...[400, 'cotizacion_requerida'],
        [0, 2].map((indice) => ({
          ...{ indice, campo: 'Cotizacion', codigo: 'cotizacion_requerida' },
          message: 'Las guias de esta cuenta requieren cotizacion',
        })),
      ]);
    }
    expect((await otro.create([{ ...guide(), Cotizacion }])).body.data).toMatchObject([
      { SEND_TOTAL: 239.83 },
    ]);
    expect(await limits('--cotizar', 'no')).toContain(
      'Sus guias sin cotizacion responden 0 y se cobran con la tarifa (no)',
    );
    expect((await otro.create([guide()])).body.data).toMatchObject([{ SEND_TOTAL: 0 }]);
  });

  test('keeps that when its limits are those of the configuration again', async ({ limits, otro }) => {
    await limits('--cotizar', 'exigir', '--guides-per-day', '1000');
    expect(await limits('--default')).toContain('exigir');
    expect(await statusOf(otro.create([guide()]))).toEqual([400, 'cotizacion_requerida']);
  });
});

test('guides are counted by how they got their price, for Prometheus and "Estado"', async ({
  api,
  stores: { redis, prefix },
  limits,
  demo,
  otro,
}) => {
  const counted = async () => {
    const metrics = await scrape(api.url);
    return ['used', 'at_creation', 'missing', 'billed', 'without_tariff'].map(
      (result) => metrics.get(`quotes_total{result="${result}"}`) ?? Number.NaN,
    );
  };
  // Time that the test lets pass is not that of Redis: the minutes of the counts may be ahead.
  const onEstado = async () =>
    Object.values(await readGuidePricings(redis, prefix, (await timeOf(redis)) + AHEAD));
  // What earlier creations count is written within a second.
  const before = await counted();
  const [used = 0, atCreation = 0, , billed = 0, withoutTariff = 0] = before;
  await expect.poll(onEstado).toEqual([used + atCreation, billed, withoutTariff]);
  await demo.created(guide(), guide(), guide({ Peso: 71 }));
  await limits('--cotizar', 'al_crear');
  await otro.created(guide(), guide({ Peso: 0 }));
  await limits('--cotizar', 'exigir');
  await otro.create([guide()]);
  const after = await counted();
  expect(after.map((count, i) => count - (before[i] ?? 0))).toEqual([0, 1, 1, 2, 2]);
  await expect.poll(onEstado).toEqual([used + atCreation + 1, billed + 2, withoutTariff + 2]);
});

/** The warnings of an answer, by guide and code. */
const warned = ({ advertencias }: Answer['body']) =>
  (advertencias as { indice: number; codigo: string }[] | undefined)?.map(({ indice, codigo }) => [
    indice,
    codigo,
  ]);

const statusOf = async (answer: Promise<Answer>) => {
  const { status, body } = await answer;
  return [status, body.codigo];
};

function dearer(prices: Buffer | undefined): Buffer {
  const text = String(prices).replace(/,(\d+)\.00/g, (_, pesos) => `,${Number(pesos) * 2}.00`);
  return Buffer.from(text);
}
