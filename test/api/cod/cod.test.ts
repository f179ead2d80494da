import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { GuideDocument } from '#shared/guides/guide-model.ts';
import { Client, minimalGuide } from '#test/fixtures/client.ts';
import { event, resultsOf, wordsOf } from '#test/fixtures/events.ts';
import { pretendFormerApi } from '#test/fixtures/former-api.ts';
import { codGuide, collectedOf, paid, test } from './fixture.ts';

/** What is collected on delivery, from the guide to the list of what was. */

const TO_MONTERREY = minimalGuide({ CodigoPostal: '64000' }).Destinatario;

test('the guide keeps what is to be collected, to the centavo', async ({ demo, newCod }) => {
  const number = await newCod(450.5, { Cobro: { Monto: 450.5, Medios: ['efectivo'] } });
  const { body } = await demo.get(`/api/guias/${number}`);
  expect(body.data).toMatchObject({ Cobro: { Monto: 450.5, Medios: ['efectivo'] } });
});

test.for<[unknown, string, string]>([
  [{ Monto: 0 }, 'campo_formato', 'Cobro.Monto'],
  [{ Monto: 0.000_000_001 }, 'campo_formato', 'Cobro.Monto'],
  [{ Monto: 450.505 }, 'campo_formato', 'Cobro.Monto'],
  [{ Monto: 50_000.01 }, 'campo_formato', 'Cobro.Monto'],
  [{ Monto: '450.50' }, 'campo_tipo', 'Cobro.Monto'],
  [{}, 'campo_requerido', 'Cobro.Monto'],
  [450.5, 'campo_tipo', 'Cobro'],
  [{ Monto: 1, Medios: [] }, 'campo_formato', 'Cobro.Medios'],
  [{ Monto: 1, Medios: ['efectivo', 'efectivo'] }, 'campo_formato', 'Cobro.Medios'],
  [{ Monto: 1, Medio: 'efectivo' }, 'campo_desconocido', 'Cobro.Medio'],
  [{ Monto: 5_000.01 }, 'cobro_excedido', 'Cobro.Monto'],
])('%j is refused as %s', async ([Cobro, codigo, campo], { demo }) => {
  const guides = [{ ...minimalGuide(), Cobro }];
  const { status, body } = await demo.create(guides);
  expect([status, body.codigo, body.details?.[0]?.campo]).toEqual([400, codigo, campo]);
  const { body: checked } = await demo.post('/api/guias/validar', {
    TipoServicio: 'Domicilio',
    Guia: guides,
  });
  expect([checked.codigo, checked.message]).toEqual([body.codigo, body.message]);
});

test('all guides that cannot be collected for are named at once, and one without a Cobro is not', async ({
  demo,
}) => {
  const toGuadalajara = minimalGuide({ CodigoPostal: '44100' }).Destinatario;
  const { body } = await demo.create([
    codGuide(5_000),
    codGuide(1, { Destinatario: toGuadalajara }),
    minimalGuide({ CodigoPostal: '44100' }),
    codGuide(5_000.01, { Destinatario: TO_MONTERREY }),
  ]);
  expect(body).toMatchObject({
    codigo: 'sucursal_no_cobra',
    message: 'La sucursal GDL01 no cobra al entregar',
    details: [
      { indice: 1, campo: 'Cobro', codigo: 'sucursal_no_cobra' },
      { indice: 3, campo: 'Cobro.Monto', message: 'La sucursal MTY01 cobra hasta 5000.00 MXN' },
    ],
  });
});

test('whoever may not have money collected creates guides without it', async ({ api }) => {
  const demo2 = await Client.login(api.url, 'demo2');
  for (const path of ['crear', 'validar']) {
    const body = { TipoServicio: 'Domicilio', Guia: [minimalGuide(), codGuide()] };
    const refused = await demo2.post(`/api/guias/${path}`, body);
    expect([refused.status, refused.body.codigo, refused.body.details]).toEqual([
      403,
      'sin_permiso',
      [expect.objectContaining({ indice: 1, campo: 'Cobro' })],
    ]);
  }
  expect((await demo2.create([minimalGuide()])).status).toBe(200);
  expect((await demo2.get('/api/cobros')).status).toBe(403);
});

test('what was collected adds up over the packages, and differs only once all are delivered', async ({
  demo,
  newCod,
  register,
}) => {
  const guide = await newCod(450.5, { Producto: { Contenido: 'Libros', Paquetes: 2 } });
  const own = async () => (await collectedOf(demo)).data.find(({ SEND_GUIA }) => SEND_GUIA === guide);
  await register(event(guide, 'EnReparto'));
  expect(await own()).toBeUndefined();
  await register(paid(guide, 400, { Paquete: 1, Id: 'uno' }));
  expect(await own()).toEqual({
    ...{ SEND_GUIA: guide, SEND_FECHA: expect.any(String), SEND_ESTATUS: 'EnReparto' },
    ...{ Cobro: 450.5, Cobrado: 400 },
    Movimientos: [{ Id: 'uno', Importe: 400, Medio: 'efectivo', Registrado: expect.any(String) }],
  });
  await register(event(guide, 'Entregado', { Paquete: 2 }));
  expect(await own()).toMatchObject({
    SEND_ESTATUS: 'Entregado',
    Diferencia: { Tipo: 'falta', Importe: -50.5 },
  });
  const differing = await collectedOf(demo, '?diferencia=si');
  expect(differing.data.map(({ SEND_GUIA }) => SEND_GUIA)).toContain(guide);
  await register(paid(guide, 50.5, { Id: 'dos' }));
  expect(await own()).not.toHaveProperty('Diferencia');
  const { data } = await collectedOf(demo, '?diferencia=si');
  expect(data.map(({ SEND_GUIA }) => SEND_GUIA)).not.toContain(guide);
});

test('an amount is corrected by an annulment and another Id, and never by the same one', async ({
  demo,
  newCod,
  register,
}) => {
  const guide = await newCod(100);
  const { porLiquidar: before } = await collectedOf(demo);
  const without = event(guide, 'Entregado', { Id: 'a' });
  const told = { ...without, Cobrado: { Monto: 10, Medio: 'efectivo' } };
  const other = { ...told, Cobrado: { Monto: 100, Medio: 'efectivo' } };
  const answer = await register(told, told, other, without, {
    ...told,
    Cobrado: { Monto: 10, Medio: 'tarjeta' },
  });
  expect(wordsOf(answer)).toEqual([
    ...['registrado', 'repetido'],
    ...['evento_distinto', 'evento_distinto', 'evento_distinto'],
  ]);
  expect(resultsOf(answer)[2]).toMatchObject({
    campo: 'Cobrado',
    message: 'Ya hay un evento de la guia con este Id y otro Cobrado',
  });
  expect((await collectedOf(demo)).porLiquidar).toBe(before + 10);
  // The annulment may come before what it annuls.
  for (const Anula of ['a', 'b']) await register(event(guide, 'Anulacion', { Anula, Id: `no-${Anula}` }));
  await register(paid(guide, 7, { Id: 'b' }), { ...other, Id: 'c' });
  const { data, porLiquidar } = await collectedOf(demo);
  expect(porLiquidar).toBe(before + 100);
  expect(data.find(({ SEND_GUIA }) => SEND_GUIA === guide)).toMatchObject({
    Cobrado: 100,
    Movimientos: [10, -10, 7, -7, 100].map((Importe) => expect.objectContaining({ Importe })),
  });
});

test('money on a guide without a Cobro, or on one that was returned, is a difference', async ({
  demo,
  newCod,
  newGuide,
  register,
}) => {
  const [plain, returned, unpaid] = [await newGuide(), await newCod(), await newCod()];
  await register(
    paid(plain, 20),
    event(unpaid, 'Entregado'),
    event(returned, 'Devuelto', { Motivo: 'rechazado', Paquete: 1 }),
    paid(returned, 450.5),
  );
  const { data } = await collectedOf(demo, '?diferencia=si');
  const kindOf = (guide: string) => data.find(({ SEND_GUIA }) => SEND_GUIA === guide)?.Diferencia;
  expect(kindOf(plain)).toEqual({ Tipo: 'sobra', Importe: 20 });
  expect(kindOf(unpaid)).toEqual({ Tipo: 'sin_cobro', Importe: -450.5 });
  expect(kindOf(returned)).toEqual({ Tipo: 'devuelta', Importe: 450.5 });
});

test('the feed and the events of a guide have what was collected', async ({ demo, newCod, register }) => {
  const guide = await newCod();
  await register(paid(guide, 450.5));
  const Cobrado = { Monto: 450.5, Medio: 'efectivo' };
  const { body } = await demo.get(`/api/guias/${guide}/eventos`);
  expect(body.data).toEqual([expect.objectContaining({ Tipo: 'Entregado', Cobrado })]);
  const feed = await demo.get('/api/eventos?limite=500');
  expect(feed.body.data).toContainEqual(expect.objectContaining({ SEND_GUIA: guide, Cobrado }));
});

test.for<[object, string, string]>([
  [{ Cobrado: { Monto: 1 } }, 'campo_requerido', 'Cobrado.Medio'],
  [{ Cobrado: { Monto: 1.005, Medio: 'efectivo' } }, 'campo_formato', 'Cobrado.Monto'],
  [{ Cobrado: { Monto: 1, Medio: 'cheque' } }, 'campo_formato', 'Cobrado.Medio'],
  [{ Cobrado: { Monto: 1, Medio: 'efectivo', Moneda: 'USD' } }, 'campo_desconocido', 'Cobrado.Moneda'],
  [{ Cobrado: 1 }, 'campo_tipo', 'Cobrado'],
  [{ Cobrado: { Monto: 1, Medio: 'efectivo' }, Tipo: 'EnReparto' }, 'campo_formato', 'Cobrado'],
])('an event with %j is refused: %s', async ([more, codigo, campo], { newGuide, register }) => {
  const [result] = resultsOf(await register(event(await newGuide(), 'Entregado', more)));
  expect(result).toMatchObject({ resultado: 'rechazado', codigo, campo });
});

test('the money is that of the account for which the guide was created, also after a move', async ({
  api,
  demo,
  newCod,
  register,
  stores,
}) => {
  const guide = await newCod();
  const { porLiquidar: before } = await collectedOf(demo);
  await stores.mongo
    .collection<GuideDocument>('guides')
    .updateOne({ _id: guide }, { $set: { account: 'otro', createdFor: 'demo' } });
  await register(paid(guide, 450.5));
  const otro = await Client.login(api.url, 'otro');
  expect(await collectedOf(otro)).toMatchObject({ data: [], porLiquidar: 0 });
  expect((await collectedOf(demo)).porLiquidar).toBe(before + 450.5);
});

test('none is created while an api of a release before would print it without its mark', async ({
  demo,
  onTestFinished,
  stores,
}) => {
  const leave = await pretendFormerApi(stores);
  onTestFinished(leave);
  const request = { TipoServicio: 'Domicilio', Guia: [codGuide()] };
  for (const path of ['/api/guias/crear', '/api/guias/validar']) {
    const { status, body } = await demo.post(path, request);
    expect([status, body.codigo]).toEqual([503, 'servicio_no_disponible']);
  }
  expect((await demo.create([minimalGuide()])).status).toBe(200);
  await leave();
  expect((await demo.create([codGuide()])).status).toBe(200);
});

test('a page leads to the next one, and no guide is on two of them', async ({ demo, newCod, register }) => {
  const guides = await Promise.all(Array.from({ length: 5 }, () => newCod(1)));
  await register(...guides.map((guide) => paid(guide, 1)));
  const seen: string[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page = await collectedOf(demo, `?limite=2${cursor && `&cursor=${cursor}`}`);
    seen.push(...page.data.map(({ SEND_GUIA }) => SEND_GUIA));
    cursor = page.siguiente;
  }
  expect(new Set(seen).size).toBe(seen.length);
  expect(seen).toEqual(expect.arrayContaining(guides));
});

test('scanners that tell of many guides of an account at once lose no centavo', async ({
  demo,
  newCod,
  register,
}) => {
  const guides = await Promise.all(Array.from({ length: 12 }, () => newCod(3)));
  const { porLiquidar: before } = await collectedOf(demo);
  await Promise.all(guides.map((guide) => register(paid(guide, 1), paid(guide, 2, { Id: randomUUID() }))));
  expect((await collectedOf(demo)).porLiquidar).toBe(before + 36);
});
