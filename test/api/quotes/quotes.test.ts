import { describe, expect, vi } from 'vitest';
import { idempotencyKey } from '#services/api/http/idempotency.ts';
import type { Quote } from '#services/api/quotes/quote.ts';
import { QuoteTokens } from '#services/api/quotes/quote-token.ts';
import { quotes } from '#services/api/quotes/room.ts';
import { MAX_SURCHARGES } from '#services/api/quotes/tariffs/check-tariff.ts';
import type { JournalEntry } from '#shared/guides/creation-model.ts';
import { GUIDES } from '#shared/guides/guide-model.ts';
import { modelOf } from '#shared/stores/collection.ts';
import { type Answer, Client } from '#test/fixtures/client.ts';
import { JWT_SECRET, test as services } from '#test/fixtures/services.ts';
import { loadTariff } from '#test/fixtures/tariffs.ts';
import { changed, demoFolder } from './tariffs/demo-tariff.ts';

const GOODS = { Contenido: 'Libros', Peso: 2.5, Largo: 30, Alto: 20, Ancho: 15, ValorDeclarado: 1500 };
const SHIPMENT = { Destinatario: { CodigoPostal: '64000' }, Producto: GOODS };
type Option = { TipoServicio: string; SEND_TOTAL: number; Cotizacion: string; Conceptos: object[] };

/** A guide that fits in the quote of `SHIPMENT`, with parts replaced. */
function guide(Cotizacion: unknown, { Destinatario = {}, Producto = {} }: Record<string, object> = {}) {
  return {
    Remitente: { Nombre: 'Ana' },
    Destinatario: { Nombre: 'Luis', CodigoPostal: '64000', ...Destinatario },
    Producto: { ...GOODS, ...Producto },
    Creado_por: {},
    Cotizacion,
  };
}

const quote = (client: Client, body: object = {}) =>
  client.post('/api/guias/cotizar', { Guia: [SHIPMENT], ...body });
const detailsOf = ({ status, body }: Answer) => [
  status,
  body.codigo,
  body.details?.map(({ indice, campo, codigo, message }) => [indice, campo, codigo, message]),
];

const test = services
  .extend('options', ({ demo }) => async (body: object = {}) => {
    const { data } = (await quote(demo, body)).body as { data: { Opciones: Option[] }[] };
    return data[0]?.Opciones as [Option, Option];
  })
  .extend(
    'load',
    ({ stores, api }) =>
      (folder = demoFolder) =>
        loadTariff(api, stores.mongo, folder),
  );

describe('POST /api/guias/cotizar', () => {
  test('prices each service, or the one that is asked for', async ({ demo, options }) => {
    const all = await quote(demo);
    expect(all).toMatchObject({ status: 200, body: { message: 'Cotizaciones: 1' } });
    const [home, branch] = await options();
    expect(home).toMatchObject({
      TipoServicio: 'Domicilio',
      Moneda: 'MXN',
      SEND_FLETE: 127.8,
      SEND_TOTAL: 194.3,
    });
    expect(branch).toMatchObject({ TipoServicio: 'the service', SEND_FLETE: 108.9, SEND_TOTAL: 169.85 });
    expect((await options({ TipoServicio: 'the service' })).map((option) => option.SEND_TOTAL)).toEqual([
      169.85,
    ]);
  });

  test.for([null, '', ' \t'])(
    'prices each service where TipoServicio is %j',
    async (TipoServicio, { demo }) => {
      const { status, body } = await quote(demo, { TipoServicio });
      expect([status, body.data]).toMatchObject([
        200,
        [{ Opciones: [{ TipoServicio: 'Domicilio' }, { TipoServicio: 'the service' }] }],
      ]);
    },
  );

  test('takes the body of a creation, whatever else it has', async ({ demo }) => {
    const { status, body } = await quote(demo, {
      TipoServicio: 'Domicilio',
      Guia: [guide('a former quote'), SHIPMENT],
    });
    expect([status, body.message]).toEqual([200, 'Cotizaciones: 2']);
  });

  test('names every guide that has no price, with the reason', async ({ demo }) => {
    const Guia = [
      { ...SHIPMENT, Producto: { ...GOODS, Peso: 71 } },
      SHIPMENT,
      { ...SHIPMENT, Producto: { ...GOODS, Largo: 150.1 } },
    ];
    expect(detailsOf(await quote(demo, { Guia }))).toEqual([
      400,
      'medidas_excedidas',
      [
        [
          0,
          'Producto.Peso',
          'medidas_excedidas',
          'Medidas excedidas: el paquete pesa 71 kg, real o volumetrico, y el maximo es 70 kg',
        ],
        [
          2,
          'Producto.Largo',
          'medidas_excedidas',
          'Medidas excedidas: el lado mayor mide 150.1 cm y el maximo es 150 cm',
        ],
      ],
    ]);
  });

  test('names every measure that is missing, 0 too', async ({ demo }) => {
    const { Peso, Largo, ...goods } = GOODS;
    const Guia = [{ ...SHIPMENT, Producto: { ...goods, Ancho: 0 } }];
    const [status, , details] = detailsOf(await quote(demo, { Guia }));
    expect(status).toBe(400);
    expect(details).toEqual(
      ['Peso', 'Largo', 'Ancho'].map((name) => [
        ...[0, `Producto.${name}`, 'campo_requerido', `El campo 'Producto.${name}' es requerido`],
      ]),
    );
  });
});

describe('a guide with a quote', () => {
  test('costs what was quoted, by whatever tariff is in force', async ({ demo, options, load }) => {
    const [{ Cotizacion, Conceptos }] = await options();
    await load(
      changed('precios.csv', (text) => text.replace(/,(\d+)\.00/g, (_, pesos) => `,${Number(pesos) * 2}.00`)),
    );
    expect((await options())[0].SEND_TOTAL).toBeGreaterThan(194.3);

    const valid = await demo.post('/api/guias/validar', {
      TipoServicio: 'Domicilio',
      Guia: [guide(Cotizacion)],
    });
    expect(valid.body.data).toMatchObject([{ SEND_FLETE: 127.8, SEND_TOTAL: 194.3 }]);
    const [created, plain] = await demo.created(guide(Cotizacion), guide(undefined));
    expect([created, plain]).toMatchObject([
      { SEND_FLETE: 127.8, SEND_TOTAL: 194.3 },
      { SEND_FLETE: 0, SEND_TOTAL: 0 },
    ]);
    const { body } = await demo.get(`/api/guias/${created?.SEND_GUIA}`);
    expect(body.data).toMatchObject({
      ...{ SEND_FLETE: 127.8, SEND_TOTAL: 194.3, Conceptos },
      Peso: { Real: 2.5, Volumetrico: 1.8, Cobrado: 3, Paquetes: 1 },
      Tarifa: { Version: 1, Lista: 'mayoreo', Zona: '3' },
      EntregaEstimada: { SiSeRecibeAntesDe: expect.stringMatching(/T17:00:00-06:00$/) },
    });
    expect(JSON.stringify(body.data)).not.toContain(Cotizacion);
    const listed = (await demo.get('/api/guias?limite=2')).body.data as { SEND_TOTAL: number }[];
    expect(listed.map(({ SEND_TOTAL }) => SEND_TOTAL).toSorted()).toEqual([0, 194.3]);
  });

  test('may be lighter, smaller, turned around and worth less', async ({ demo, options }) => {
    const [{ Cotizacion, SEND_TOTAL }] = await options();
    const smaller = { Peso: 0.4, Largo: 15, Alto: 29.9, Ancho: 20, ValorDeclarado: 0 };
    const [created] = await demo.created(guide(Cotizacion, { Producto: smaller }));
    expect(created?.SEND_TOTAL).toBe(SEND_TOTAL);
  });

  test('is good with the most surcharges and the longest TipoEnvio', async ({ demo, options, load }) => {
    const surcharges = Array.from(
      { length: MAX_SURCHARGES },
      (_, i) => `c-${i},siempre,,,11.55,subtotal,10.50,,`,
    );
    await load(changed('recargos.csv', (text) => [text.split('\n')[0], ...surcharges].join('\n')));
    const Producto = { TipoEnvio: '\u{1F4E6}'.repeat(40), Paquetes: 99, ValorDeclarado: 999_999_999.99 };
    const [{ Cotizacion, SEND_TOTAL }] = await options({
      Guia: [{ ...SHIPMENT, Producto: { ...GOODS, ...Producto } }],
    });
    expect(Cotizacion.length).toBeGreaterThan(1_000);
    expect((await demo.created(guide(Cotizacion, { Producto })))[0]).toMatchObject({ SEND_TOTAL });
    const other = guide(Cotizacion, { Producto: { ...Producto, TipoEnvio: 'Sobre' } });
    expect(detailsOf(await demo.create([other]))[2]).toEqual([
      [
        ...[0, 'Producto.TipoEnvio', 'cotizacion_distinta'],
        `El campo 'Producto.TipoEnvio' es 'Sobre' y se cotizo '${Producto.TipoEnvio}'`,
      ],
    ]);
    await load();
  });

  test('is refused where it does not fit, with what is and what was quoted', async ({ demo, options }) => {
    const [{ Cotizacion }, { Cotizacion: pickUp }] = await options();
    const misfit = guide(Cotizacion, {
      Destinatario: { CodigoPostal: '44100' },
      Producto: { TipoEnvio: 'Sobre', Paquetes: 2, Peso: 2.501, Largo: 30.1, ValorDeclarado: 1500.01 },
    });
    expect(detailsOf(await demo.create([misfit, guide(pickUp)]))).toEqual([
      409,
      'cotizacion_distinta',
      [
        ['Destinatario.CodigoPostal', '44100', '64000'],
        ['Producto.TipoEnvio', "'Sobre'", "''"],
        ['Producto.Paquetes', '2', '1'],
        ['Producto.Peso', '2.501 kg', '2.5 kg'],
        ['Producto.Largo', '30.1 cm', '30 cm'],
        ['Producto.ValorDeclarado', '1500.01', '1500.00'],
      ]
        .map(([campo, is, quoted]) => [
          ...[0, campo, 'cotizacion_distinta', `El campo '${campo}' es ${is} y se cotizo ${quoted}`],
        ])
        .concat([
          [
            ...[1, 'TipoServicio', 'cotizacion_distinta'],
            "El campo 'TipoServicio' es Domicilio y se cotizo the service",
          ],
        ]),
    ]);
    const { Peso: _, ...unweighed } = guide(Cotizacion).Producto;
    expect(detailsOf(await demo.create([{ ...guide(Cotizacion), Producto: unweighed }]))).toEqual([
      400,
      'campo_requerido',
      [[0, 'Producto.Peso', 'campo_requerido', "El campo 'Producto.Peso' es requerido"]],
    ]);
  });

  test('is refused with a quote of another account, another origin, or an altered one', async ({
    api,
    options,
  }) => {
    const [{ Cotizacion }] = await options();
    const message = 'La cotizacion no es valida: esta alterada, o es de otra cuenta';
    const refused = [400, 'cotizacion_invalida', [[0, 'Cotizacion', 'cotizacion_invalida', message]]];
    const [otro, demo] = [await Client.login(api.url, 'otro'), await Client.login(api.url)];
    expect(detailsOf(await otro.create([guide(Cotizacion)]))).toEqual(refused);
    for (const altered of [
      `${Cotizacion.slice(0, -1)}_`,
      Cotizacion.slice(0, 40),
      'x'.repeat(5_000),
      demo.token,
    ]) {
      expect(detailsOf(await demo.create([guide(altered)]))).toEqual(refused);
    }
    const quoted = new QuoteTokens(JWT_SECRET).read('demo', Cotizacion) as Quote;
    const elsewhere = new QuoteTokens(JWT_SECRET).sign('demo', { ...quoted, origin: 'GDL01' });
    expect(detailsOf(await demo.create([guide(elsewhere)]))[2]).toEqual([
      [
        ...[0, 'SEND_SUCU_ORIG', 'cotizacion_distinta'],
        "El campo 'SEND_SUCU_ORIG' es MEX01 y se cotizo GDL01",
      ],
    ]);
    // Nor is a quote an access token.
    expect((await new Client(api.url, Cotizacion).get('/api/auth/validate')).status).toBe(401);
  });

  test('is refused once its quote has expired, but for a repeated key', async ({ api, demo, options }) => {
    const [{ Cotizacion, SEND_TOTAL }] = await options();
    const { expires } = new QuoteTokens(JWT_SECRET).read('demo', Cotizacion) as Quote;
    const create = (key: string) =>
      demo.post(
        '/api/guias/crear',
        { TipoServicio: 'Domicilio', Guia: [guide(Cotizacion)] },
        { 'idempotency-key': key },
      );
    const first = await create('pedido-1');
    expect(first.body.data).toMatchObject([{ SEND_TOTAL }]);
    vi.spyOn(api.contextOf(quotes).tariffs, 'now').mockReturnValue((expires + 1) * 1_000);
    const { body } = await create('otro');
    expect(body.codigo).toBe('cotizacion_vencida');
    expect(body.message).toMatch(/^La cotizacion vencio: \d{4}-\d\d-\d\dT23:59:59-06:00$/);
    expect(await create('pedido-1')).toMatchObject({ status: 200, body: { data: first.body.data } });
  });

  test('is the first one again with a fresh quote, or without, at its first price', async ({
    demo,
    options,
    stores,
  }) => {
    const entries = stores.mongo.collection<JournalEntry>('creations');
    const create = (key: string, sent: object) =>
      demo.post('/api/guias/crear', { TipoServicio: 'Domicilio', Guia: [sent] }, { 'idempotency-key': key });
    const [[before], [after]] = [await options(), await options()];
    const quoted = guide(before.Cotizacion);
    const fresh = guide(`${after.Cotizacion}`.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')));
    const first = await create('fresh-quote', quoted);
    expect(first.body.data).toMatchObject([{ SEND_TOTAL: before.SEND_TOTAL }]);
    for (const again of [fresh, guide(undefined)]) {
      const { status, body, headers } = await create('fresh-quote', again);
      expect([status, body, headers.get('idempotent-replayed')]).toEqual([200, first.body, 'true']);
    }
    const other = guide(before.Cotizacion, { Producto: { Contenido: 'Discos' } });
    expect((await create('fresh-quote', other)).status).toBe(409);

    // What releases before 1.11.0 compare, and all that they store, is the hash of the body with its quote.
    const { id, bodyHash } = await idempotencyKey('crear', 'demo', 'fresh-quote', ['Domicilio', [quoted]]);
    const entry = { _id: id, bodyHash };
    expect((await entries.updateOne(entry, { $unset: { lastingHash: 1 } })).modifiedCount).toBe(1);
    expect((await create('fresh-quote', quoted)).body).toEqual(first.body);
    expect((await create('fresh-quote', fresh)).status).toBe(409);

    const unquoted = await create('first-unquoted', guide(undefined));
    expect((await create('first-unquoted', quoted)).body).toEqual(unquoted.body);
  });

  test('shows no day of delivery if it is made too late for it', async ({ demo, options }) => {
    const tokens = new QuoteTokens(JWT_SECRET);
    const [{ Cotizacion, SEND_TOTAL }] = await options();
    const quoted = tokens.read('demo', Cotizacion) as Quote;
    const late = {
      ...quoted,
      delivery: { ...quoted.delivery, receivedBefore: Math.floor(Date.now() / 1_000) - 1 },
    };
    const [created] = await demo.created(guide(tokens.sign('demo', late)));
    const { data } = (await demo.get(`/api/guias/${created?.SEND_GUIA}`)).body;
    expect(data).toMatchObject({ SEND_TOTAL, Tarifa: { Lista: 'mayoreo' } });
    expect(data).not.toHaveProperty('EntregaEstimada');
  });

  test('is refused within ten seconds of the withdrawal of its tariff', async ({ demo, options, load }) => {
    const { store, version } = await load();
    const [{ Cotizacion }] = await options();
    const since = performance.now();
    await store.withdraw((await store.entries()).at(-1)?._id ?? 0, version, 'ana');
    await expect
      .poll(async () => (await demo.create([guide(Cotizacion)])).body.codigo)
      .toBe('cotizacion_retirada');
    // The former tariff is read after its withdrawal is known.
    await expect.poll(async () => (await options())[0]).not.toMatchObject({ Tarifa: { Version: version } });
    expect(performance.now() - since).toBeLessThan(10_000);
  });
});

test('without a tariff in force there is no price, and guides are created as ever', async ({
  demo,
  load,
  stores,
}) => {
  const { store } = await load();
  for (const { _id, from } of await store.entries()) {
    if (from) await store.withdraw((await store.entries()).at(-1)?._id ?? 0, _id, 'ana');
  }
  await expect
    .poll(async () => (await quote(demo)).body)
    .toMatchObject({
      codigo: 'sin_tarifa',
      message: 'Sin tarifa: el transportista no tiene una tarifa en vigor',
    });
  const [created] = await demo.created(guide(undefined));
  expect(created).toMatchObject({ SEND_TOTAL: 0 });
  const stored = await modelOf(stores.mongo, GUIDES).findById(created?.SEND_GUIA).lean();
  expect(stored?.unquoted).toEqual({ noPrice: 'no-tariff' });
});
