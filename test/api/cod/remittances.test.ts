import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import { expect } from 'vitest';
import { run as runCli } from '#services/api/cli.ts';
import { GuideStore } from '#services/api/guides/guide-store.ts';
import { EventRegister } from '#services/api/tracking/event-register.ts';
import { COD_LEDGER, type LedgerEntry } from '#shared/cod/ledger-model.ts';
import { EventLog } from '#shared/tracking/event-log.ts';
import type { EventBody } from '#shared/tracking/event-model.ts';
import { Client } from '#test/fixtures/client.ts';
import { event } from '#test/fixtures/events.ts';
import { runCommand } from '#test/fixtures/operators/command.ts';
import { codGuide, collectedOf, linesOf, numberIn, paid, test as shops } from './fixture.ts';

/** What the carrier pays customers of what it has collected, by `npm run admin -- cobros`. */

type Remittance = { Liquidacion: string; Importe: number; Movimientos: number; Estado: string };

const HEAD = 'Cuenta,Importe,Liquidacion';
type Expiring = { _id: string; expiresAt?: Date };

const test = shops.extend('remittances', ({ shop }) => async () => {
  const { body } = await shop.client.get('/api/liquidaciones');
  return body.data as Remittance[];
});

test('what was registered before a moment is paid once, and the rest with the next remittance', async ({
  age,
  collect,
  localTime,
  pay,
  remittances,
  shop,
}) => {
  const first = await collect(450.5, 0.01, 1_000);
  await age(60_000);
  const later = await collect(99.99);
  const until = localTime(-30_000);
  const { code, out } = await pay(until);
  const number = numberIn(out);
  expect([code, linesOf(out)]).toEqual([0, [HEAD, `${shop.name},1450.51,${number}`]]);
  expect(number).toMatch(/^L[1-9]\d{10}$/);
  // The same again is the same file.
  expect(await pay(until)).toMatchObject({ code: 0, out });
  expect(await remittances()).toEqual([
    {
      ...{ Liquidacion: number, Fecha: expect.any(String), Hasta: expect.any(String) },
      ...{ Importe: 1450.51, Movimientos: 3, Estado: 'pagada' },
    },
  ]);
  const { data, porLiquidar } = await collectedOf(shop.client);
  expect(porLiquidar).toBe(99.99);
  const paidBy = new Map(data.map(({ SEND_GUIA, Movimientos }) => [SEND_GUIA, Movimientos[0]?.Liquidacion]));
  expect([...first, ...later].map((guide) => paidBy.get(guide))).toEqual([number, number, number, undefined]);
  await age(120_000);
  expect(linesOf((await pay(localTime(-20_000))).out)[1]).toMatch(
    new RegExp(`^${shop.name},99.99,L\\d{11}$`),
  );
  expect((await collectedOf(shop.client)).porLiquidar).toBe(0);
});

test('a remittance that the bank refuses is opened again, once, and paid by another number', async ({
  age,
  cobros,
  collect,
  localTime,
  pay,
  remittances,
  shop,
}) => {
  await collect(100);
  await age(60_000);
  const until = localTime(-30_000);
  const refused = numberIn((await pay(until)).out);
  for (const done of ['Anulada', 'Ya estaba anulada'])
    expect(await cobros('anular', refused)).toEqual({
      ...{ code: 0, err: '' },
      out: `${done}: ${refused}, 100.00 MXN de la cuenta ${shop.name}. Se paga otra vez con cobros pagar\n`,
    });
  expect((await collectedOf(shop.client)).porLiquidar).toBe(100);
  // The bank has paid the other accounts of that file.
  expect(await cobros('pagar', '--hasta', until)).toMatchObject({
    ...{ code: 1, out: '', err: expect.stringContaining(`use --account ${shop.name}, u otra --hasta`) },
  });
  const again = numberIn((await pay(until)).out);
  expect(again).not.toBe(refused);
  expect(numberIn((await pay(until)).out)).toBe(again);
  expect((await remittances()).map(({ Liquidacion, Estado }) => [Liquidacion, Estado])).toEqual([
    [again, 'pagada'],
    [refused, 'anulada'],
  ]);
  const { body } = await shop.client.get(`/api/liquidaciones/${again}`);
  expect(body.data).toMatchObject({ Importe: 100, Detalle: [{ Importe: 100 }] });
  expect((await collectedOf(shop.client)).data[0]?.Movimientos[0]?.Liquidacion).toBe(again);
});

test('what was paid and is annulled is taken from the next remittance, which waits until it is more than 0', async ({
  age,
  collect,
  localTime,
  pay,
  register,
  shop,
}) => {
  const [guide = ''] = await collect(100);
  await age(60_000);
  await pay(localTime(-30_000));
  await register(event(guide, 'Anulacion', { Anula: 'cobro' }));
  await age(60_000);
  expect(await pay(localTime(-20_000))).toMatchObject({
    ...{ code: 0, out: `\uFEFF${HEAD}\n` },
    err: `${shop.name}: -100.00 MXN, nada que pagar; queda para la siguiente\n`,
  });
  await collect(30);
  await age(60_000);
  expect(linesOf((await pay(localTime(-15_000))).out)).toEqual([HEAD]);
  await collect(71);
  await age(60_000);
  expect((await pay(localTime(-10_000))).out).toContain(`${shop.name},1.00,`);
  expect((await collectedOf(shop.client)).porLiquidar).toBe(0);
});

test('many that pay an account at once make one remittance', async ({ age, collect, localTime, pay }) => {
  await collect(1, 2, 3);
  await age(60_000);
  const until = localTime(-30_000);
  const results = await Promise.all(Array.from({ length: 4 }, () => pay(until)));
  expect(new Set(results.map(({ out }) => out)).size).toBe(1);
});

test('without an account, the bank gets one file of all accounts', async ({
  age,
  cobros,
  collect,
  localTime,
  shop,
}) => {
  await collect(5);
  await age(60_000);
  const { out } = await cobros('pagar', '--hasta', localTime(-30_000));
  expect(linesOf(out)[0]).toBe(HEAD);
  expect(out).toMatch(new RegExp(`^${shop.name},5.00,L\\d{11}\r?$`, 'm'));
});

test('the page of a remittance leads to the next one', async ({ age, collect, pay, shop }) => {
  const guides = await collect(1, 2, 3, 4, 5);
  await age(60_000);
  const number = numberIn((await pay()).out);
  const seen: string[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const query = `?limite=2${cursor && `&cursor=${cursor}`}`;
    const { body } = await shop.client.get(`/api/liquidaciones/${number}${query}`);
    seen.push(...(body.data as { Detalle: { SEND_GUIA: string }[] }).Detalle.map((each) => each.SEND_GUIA));
    cursor = (body as { siguiente: string | null }).siguiente;
  }
  expect(seen).toEqual(guides);
});

test('another account sees neither a remittance nor what was collected', async ({
  age,
  collect,
  demo,
  pay,
}) => {
  await collect(5);
  await age(60_000);
  const number = numberIn((await pay()).out);
  const { status, body } = await demo.get(`/api/liquidaciones/${number}`);
  expect([status, body.codigo]).toEqual([404, 'liquidacion_no_encontrada']);
});

test('a moment that is not over, a wrong one, and an account without money are refused', async ({
  cobros,
  localTime,
}) => {
  const refusals: [string[], number, string][] = [
    [['pagar', '--hasta', localTime(60_000)], 2, '--hasta debe ser un momento que ya paso'],
    [['pagar', '--hasta', '2026-02-30'], 2, '--hasta debe ser una fecha como 2026-11-30'],
    [['pagar', '--hasta', '2026-01-01T25:00:00'], 2, '--hasta debe ser una fecha como 2026-11-30'],
    [['pagar'], 2, 'Falta --hasta'],
    [['pagar', '--account', 'nadie', '--hasta', '2026-01-01'], 1, 'no se ha cobrado nada'],
    [['anular', 'L12345678901'], 1, 'No hay una liquidacion con ese numero'],
  ];
  for (const [args, code, says] of refusals) {
    const result = await cobros(...args);
    expect([args, result.code, result.err]).toEqual([args, code, expect.stringContaining(says)]);
  }
});

test('what a test account plays is collected, never paid, and goes with its guides', async ({
  api,
  cobros,
  localTime,
  stores,
}) => {
  const prueba = await Client.login(api.url, 'prueba');
  const play = async (Monto: number, Escenario: string) => {
    const [guide] = await prueba.created(codGuide(Monto));
    await prueba.post(`/api/guias/${guide?.SEND_GUIA}/simular`, { Escenario });
    return guide?.SEND_GUIA;
  };
  const whole = await play(450.5, 'cobro');
  const half = await play(450.51, 'cobro_diferente');
  const least = await play(0.01, 'cobro_diferente');
  const { data, porLiquidar } = await collectedOf(prueba);
  expect(porLiquidar).toBe(675.77);
  expect(data.toSorted((one, other) => one.Cobrado - other.Cobrado)).toMatchObject([
    { SEND_GUIA: least, Cobrado: 0.02, Diferencia: { Tipo: 'sobra', Importe: 0.01 }, Prueba: true },
    { SEND_GUIA: half, Cobrado: 225.25, Diferencia: { Tipo: 'falta', Importe: -225.26 }, Prueba: true },
    { SEND_GUIA: whole, Cobrado: 450.5, Prueba: true },
  ]);
  const guide = await stores.mongo.collection<Expiring>('guides').findOne({ _id: half as string });
  const collection = await stores.mongo
    .collection<Expiring>('codCollections')
    .findOne({ _id: half as string });
  const entries = stores.mongo.collection<LedgerEntry>(COD_LEDGER.name);
  const entry = await entries.findOne({ 'movement.guide': half as string });
  expect([collection?.expiresAt, entry?.expiresAt]).toEqual([guide?.expiresAt, guide?.expiresAt]);
  expect(guide?.expiresAt).toBeInstanceOf(Date);

  await entries.updateMany({ expiresAt: { $exists: true } }, { $set: { registered: new Date(0) } });
  expect((await cobros('pagar', '--hasta', localTime(-1_000))).out).not.toContain('pruebas');
  const { code, err } = await cobros('pagar', '--account', 'pruebas', '--hasta', localTime(-1_000));
  expect([code, err]).toEqual([1, expect.stringContaining('es de prueba')]);
  for (const args of [[], ['diferencias']]) expect((await cobros(...args)).out).not.toContain('pruebas');
  expect(await prueba.get('/api/liquidaciones')).toMatchObject({ body: { data: [] } });

  // As MongoDB does when its guide goes.
  await entries.deleteMany({ 'movement.guide': whole as string });
  expect((await collectedOf(prueba)).porLiquidar).toBe(225.27);
});

test('the list says what is owed, and how many guides differ', async ({
  cobros,
  collect,
  register,
  shop,
}) => {
  const [guide = ''] = await collect(10, 20);
  await register(paid(guide, 5));
  expect((await cobros()).out).toMatch(new RegExp(`^${shop.name} +35\\.00 +1$`, 'm'));
  expect(linesOf((await cobros('diferencias', '--account', shop.name)).out)).toEqual([
    'Cuenta,Guia,Estatus,Cobro,Cobrado,Diferencia',
    `${shop.name},${guide},Entregado,10.00,15.00,sobra`,
  ]);
  expect((await cobros('diferencias')).out).toContain(`${shop.name},${guide},`);
});

test('an account whose parcels were all delivered without money is in the list', async ({
  cobros,
  register,
  shop,
}) => {
  const [guide] = await shop.client.created(codGuide(10));
  await register(event(guide?.SEND_GUIA ?? '', 'Entregado'));
  expect((await cobros()).out).toMatch(new RegExp(`^${shop.name} +0\\.00 +1$`, 'm'));
});

test('the last user of an account that is owed money is not removed, and leaves it once it is paid', async ({
  age,
  collect,
  pay,
  shop,
  stores,
}) => {
  const env = { MONGODB_URI: stores.mongoUri, OPERATOR: 'ana' };
  await collect(450.5);
  const reason = `A la cuenta ${shop.name} se le deben 450.50 MXN de cobros: paguelos antes con cobros pagar --account ${shop.name}\n`;
  for (const args of [
    ['remove', shop.name],
    ['account', shop.name, 'otra'],
  ])
    expect(await runCommand(runCli, args, { env })).toEqual({ code: 1, out: '', err: reason });
  await age(60_000);
  await pay();
  const moved = await runCommand(runCli, ['account', shop.name, `${shop.name}-b`], { env });
  expect([moved.code, moved.out]).toEqual([
    0,
    expect.stringContaining('Sus cobros y liquidaciones se conservan.'),
  ]);
});

test('a file of events moves money too', async ({ folder, shop, stores }) => {
  const [guide] = await shop.client.created(codGuide(75.25));
  const lines = [
    'Guia,Tipo,Ocurrido,Cobrado.Monto,Cobrado.Medio',
    `${guide?.SEND_GUIA},Entregado,${new Date().toISOString()},75.25,tarjeta`,
  ];
  await writeFile(join(folder, 'cobros.csv'), lines.join('\n'));
  const env = { MONGODB_URI: stores.mongoUri, INIT_CWD: folder, OPERATOR: 'ana' };
  const { code, out } = await runCommand(runCli, ['eventos', 'cobros.csv'], { env });
  expect([code, out]).toEqual([0, expect.stringContaining('Eventos registrados: 1')]);
  expect((await collectedOf(shop.client)).porLiquidar).toBe(75.25);
});

test('a review makes what a process of the release before has left out', async ({
  cobros,
  collect,
  shop,
  stores,
}) => {
  const [annulled = ''] = await collect(10, 20);
  const [unpaid] = await shop.client.created(codGuide(5));
  const [log, guides] = [new EventLog(stores.mongo), new GuideStore(stores.mongo)];
  const before = new EventRegister(
    { log, guides, adjustersOf: async () => new Map() },
    new Registry(),
    () => {},
  );
  for (const told of [
    event(annulled, 'Anulacion', { Anula: 'cobro', Id: 'no' }),
    event(unpaid?.SEND_GUIA ?? '', 'Entregado', { Id: 'e' }),
  ])
    expect(await before.add(shop.name, told as EventBody, 'escaner')).toBe('registered');
  expect((await collectedOf(shop.client)).porLiquidar).toBe(30);
  for (let i = 0; i < 2; i++) expect((await cobros('revisar')).code).toBe(0);
  const { data, porLiquidar } = await collectedOf(shop.client, '?diferencia=si');
  expect(porLiquidar).toBe(20);
  expect(data.map(({ SEND_GUIA, Diferencia }) => [SEND_GUIA, Diferencia?.Tipo])).toEqual([
    [unpaid?.SEND_GUIA, 'sin_cobro'],
  ]);
});
