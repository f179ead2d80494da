import { describe, expect, onTestFinished, vi } from 'vitest';
import { BRANCHES } from '#local/demo-data.ts';
import type { Quote } from '#services/api/quotes/quote.ts';
import { QuoteTokens } from '#services/api/quotes/quote-token.ts';
import { BranchLookup } from '#services/branches/branch-lookup.ts';
import type { Branch } from '#shared/branches/branch.ts';
import { BranchStore, type Coverage } from '#shared/branches/branch-store.ts';
import { GUIDES } from '#shared/guides/guide-model.ts';
import { modelOf } from '#shared/stores/collection.ts';
import { type Answer, minimalGuide } from '#test/fixtures/client.ts';
import { event, test as events } from '#test/fixtures/events.ts';
import { JWT_SECRET } from '#test/fixtures/services.ts';

/** Which place is priced where a guide names a branch and a postal code (docs/contract.md "Quotes"). */

const GOODS = { Contenido: 'Libros', Peso: 12, Largo: 30, Alto: 20, Ancho: 15 };
/** Monterrey's branch covers a second code, which costs otherwise. */
const COVERAGE: Coverage[] = [
  { postalCode: '20000', code: 'MTY01' },
  { postalCode: '64000', code: 'MTY01' },
  { postalCode: '06600', code: 'MEX01' },
];
/** In no group of the tariff. */
const REMOTE = { ...(BRANCHES[0] as Branch), Codigo: 'REM01', CodigoPostal: '17000' };
const CONTRADICTORY = { DestinoCode: 'mty01', CodigoPostal: '06600' };

const guideTo = (recipient: object, Cotizacion?: string) => ({
  ...minimalGuide({ ...recipient }),
  Producto: GOODS,
  Cotizacion,
});
const warning = (postalCode: string, indice = 0) => ({
  ...{ indice, campo: 'Destinatario.CodigoPostal', codigo: 'cp_y_destino_distintos' },
  message: `El envío va a la sucursal MTY01, que no cubre el código postal ${postalCode}: su precio es el de 64000, el código postal de la sucursal`,
});
const refusalsOf = ({ status, body }: Answer) => [
  status,
  ...(body.details ?? []).map(({ campo, codigo, message }) => [campo, codigo, message]),
];
type Quoted = { totals: Record<string, number>; Cotizacion: string; advertencias: object[] | undefined };

const test = events
  .extend('store', { scope: 'file' }, ({ stores }) => new BranchStore(stores.mongo))
  .extend('quote', { scope: 'file' }, ({ demo }) => async (recipient: object): Promise<Quoted> => {
    const { body } = await demo.post('/api/guias/cotizar', { Guia: [guideTo(recipient)] });
    const [{ Opciones }] = body.data as [
      { Opciones: { TipoServicio: string; SEND_TOTAL: number; Cotizacion: string }[] },
    ];
    return {
      totals: Object.fromEntries(Opciones.map((option) => [option.TipoServicio, option.SEND_TOTAL])),
      Cotizacion: Opciones[0]?.Cotizacion ?? '',
      advertencias: body.advertencias,
    };
  })
  /** Waits until the api knows a load. @param status of its answer about 20000. */
  .extend('untilKnown', { scope: 'file' }, ({ demo }) => async (status: number) => {
    const known = async () => (await demo.get('/api/sucursales/cobertura/20000')).status;
    await expect.poll(known).toBe(status);
  })
  .extend('loaded', { scope: 'file', auto: true }, async ({ store, untilKnown }) => {
    await store.loadBranches([...BRANCHES, REMOTE]);
    await store.loadCoverage(COVERAGE);
    await untilKnown(200);
  });

test.for<[string, object, number, object[] | undefined]>([
  ['a branch alone', { DestinoCode: 'MTY01' }, 344.57, undefined],
  ['a postal code alone', { CodigoPostal: '20000' }, 288.69, undefined],
  [
    'a branch, and a postal code that it covers',
    { DestinoCode: 'mty01', CodigoPostal: '20000' },
    288.69,
    undefined,
  ],
  ['a branch, and its own postal code', { DestinoCode: 'MTY01', CodigoPostal: '64000' }, 344.57, undefined],
  ['a branch, and a postal code of another', CONTRADICTORY, 344.57, [warning('06600')]],
  [
    'a branch, and a postal code of none',
    { DestinoCode: 'MTY01', CodigoPostal: '99999' },
    344.57,
    [warning('99999')],
  ],
])(
  'a guide to %s costs what it costs where the parcel goes',
  async ([_, recipient, total, advertencias], { demo, quote }) => {
    const quoted = await quote(recipient);
    expect(quoted).toMatchObject({ totals: { Domicilio: total, 'the service': 293.34 }, advertencias });
    const Guia = [guideTo(recipient, quoted.Cotizacion)];
    for (const path of ['/api/guias/validar', '/api/guias/crear']) {
      const { status, body } = await demo.post(path, { TipoServicio: 'Domicilio', Guia });
      expect([status, body]).toMatchObject([200, { data: [{ SEND_SUCU_DEST: 'MTY01', SEND_TOTAL: total }] }]);
      expect(body.advertencias).toEqual(advertencias);
      // Without a quote too.
      const plain = await demo.post(path, { TipoServicio: 'Domicilio', Guia: [guideTo(recipient)] });
      expect([plain.status, plain.body.advertencias]).toEqual([200, advertencias]);
    }
  },
);

describe('a guide to a branch with a postal code of another', () => {
  test('costs the same as ever where it is picked up, and earns no warning', async ({ demo }) => {
    const Guia = [guideTo(CONTRADICTORY)];
    for (const path of ['cotizar', 'validar', 'crear']) {
      const { status, body } = await demo.post(`/api/guias/${path}`, { TipoServicio: 'the service', Guia });
      expect([status, body.advertencias]).toEqual([200, undefined]);
      if (path === 'cotizar') expect(body.data).toMatchObject([{ Opciones: [{ SEND_TOTAL: 293.34 }] }]);
    }
  });

  test('does not fit in a quote of the other place, nor one of the other place in its quote', async ({
    demo,
    quote,
  }) => {
    const [here, there] = [await quote({ CodigoPostal: '06600' }), await quote(CONTRADICTORY)];
    expect([here.totals.Domicilio, there.totals.Domicilio]).toEqual([238.64, 344.57]);
    const tokens = new QuoteTokens(JWT_SECRET);
    const { parcel, ...rest } = tokens.read('demo', there.Cotizacion) as Quote;
    // 1.8 priced the postal code of such a guide.
    const former = tokens.sign('demo', { ...rest, parcel: { ...parcel, destination: '06600' } });
    const different = (campo: string, is: string, quoted: string) => [
      409,
      [campo, 'cotizacion_distinta', `El campo '${campo}' es ${is} y se cotizo ${quoted}`],
    ];
    for (const Cotizacion of [here.Cotizacion, former]) {
      const answer = await demo.create([guideTo(CONTRADICTORY, Cotizacion)]);
      expect(refusalsOf(answer)).toEqual(different('Destinatario.DestinoCode', '64000', '06600'));
    }
    const answer = await demo.create([guideTo({ CodigoPostal: '06600' }, there.Cotizacion)]);
    expect(refusalsOf(answer)).toEqual(different('Destinatario.CodigoPostal', '06600', '64000'));
    const [fitting] = await demo.created(guideTo({ DestinoCode: 'MTY01' }, there.Cotizacion));
    expect(fitting?.SEND_TOTAL).toBe(344.57);
  });

  test('is weighed by the price to the branch', async ({ demo, quote, register }) => {
    const { Cotizacion } = await quote(CONTRADICTORY);
    const [created] = await demo.created(guideTo(CONTRADICTORY, Cotizacion));
    const number = created?.SEND_GUIA ?? '';
    await register(event(number, 'Pesaje', { Peso: 25, Largo: 30, Alto: 20, Ancho: 15 }));
    expect((await demo.get(`/api/guias/${number}`)).body.data).toMatchObject({
      SEND_TOTAL: 344.57,
      Ajuste: { Antes: 344.57, Ahora: 456.31 },
    });
  });

  test('is billed by the price to the branch without a quote', async ({ demo, stores }) => {
    const [created] = await demo.created(guideTo(CONTRADICTORY));
    const stored = await modelOf(stores.mongo, GUIDES).findById(created?.SEND_GUIA).lean();
    expect(stored).toMatchObject({
      total: 0,
      unquoted: { total: 34_457 },
      priced: { parcel: { destination: '64000' } },
    });
  });

  test.for([true, false])(
    'is answered with its warning again when its key is repeated, quoted: %j',
    async (isQuoted, { demo, quote }) => {
      const Cotizacion = isQuoted ? (await quote(CONTRADICTORY)).Cotizacion : undefined;
      const create = () =>
        demo.post(
          '/api/guias/crear',
          { TipoServicio: 'Domicilio', Guia: [guideTo(CONTRADICTORY, Cotizacion)] },
          { 'idempotency-key': `contradictory-${isQuoted}` },
        );
      const first = await create();
      expect(first.body.advertencias).toEqual([warning('06600')]);
      const { status, headers, body } = await create();
      expect([status, headers.get('idempotent-replayed'), body]).toEqual([200, 'true', first.body]);
    },
  );

  test('is warned of by validar beside the errors of others, unless its own fields are wrong', async ({
    demo,
  }) => {
    const wrong = { ...guideTo(CONTRADICTORY), Remitente: { Nombre: 'Ana', Telefono: '1' } };
    const validate = (TipoServicio: string) =>
      demo.post('/api/guias/validar', { TipoServicio, Guia: [wrong, guideTo(CONTRADICTORY)] });
    const { status, body } = await validate('Domicilio');
    expect([status, body.codigo, body.advertencias]).toEqual([400, 'campo_formato', [warning('06600', 1)]]);
    expect((await validate('Ocurre')).body.advertencias).toBeUndefined();
  });

  test('costs what its postal code costs until coverage is loaded', async ({
    quote,
    store,
    stores,
    untilKnown,
  }) => {
    const generations = stores.mongo.collection<{ _id: string }>('generations');
    await generations.updateOne({ _id: 'current' }, { $set: { coverage: 0 } });
    onTestFinished(async () => {
      await store.loadCoverage(COVERAGE);
      await untilKnown(200);
    });
    await untilKnown(404);
    expect(await quote(CONTRADICTORY)).toMatchObject({
      totals: { Domicilio: 238.64, 'the service': 293.34 },
      advertencias: undefined,
    });
  });
});

test('the field is blamed whose place has no price', async ({ demo }) => {
  const blame = async (recipient: object) =>
    refusalsOf(await demo.post('/api/guias/cotizar', { Guia: [guideTo(recipient)] }));
  const refused = (campo: string) => [
    400,
    [campo, 'sin_tarifa', 'Sin tarifa: el codigo postal 17000 no tiene zona'],
  ];
  expect(await blame({ DestinoCode: 'REM01', CodigoPostal: '06600' })).toEqual(
    refused('Destinatario.DestinoCode'),
  );
  expect(await blame({ DestinoCode: 'REM01' })).toEqual(refused('Destinatario.DestinoCode'));
});

test('a creation asks once for its branch and the postal code beside it', async ({ demo }) => {
  const asked = vi.spyOn(BranchLookup.prototype, 'resolve');
  onTestFinished(() => asked.mockRestore());
  const create = () => demo.created(guideTo({ DestinoCode: 'GDL01', CodigoPostal: '44444' }));
  await create();
  await create();
  expect(asked).toHaveBeenCalledTimes(1);
});
