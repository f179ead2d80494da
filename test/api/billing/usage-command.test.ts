import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished } from 'vitest';
import { ROOMS } from '#services/api/app.ts';
import { run } from '#services/api/cli.ts';
import { anonymiseOlder } from '#services/api/guides/anonymise-guides.ts';
import { guideSteps } from '#services/api/guides/guide-store.ts';
import { personalDataOf } from '#services/api/http/room.ts';
import { forUsers } from '#services/api/platform/personal-data.ts';
import { personalEvents } from '#services/api/tracking/personal-data.ts';
import { RECENT } from '#shared/accounts/user-store.ts';
import type { GuideDocument } from '#shared/guides/guide-model.ts';
import type { LogEntry } from '#shared/tracking/event-model.ts';
import { Client, minimalGuide } from '#test/fixtures/client.ts';
import { event, test as events, wordsOf } from '#test/fixtures/events.ts';
import { startMongoProxy } from '#test/fixtures/mongo-proxy.ts';
import { runCommand } from '#test/fixtures/operators/command.ts';
import { passTime } from '#test/fixtures/pass-time.ts';

/** `npm run admin -- usage` (k8s/operations.md "Billing"). Each test has months of its own, long closed. */

const HEAD =
  'Mes,Cuenta,Guias,Canceladas,Entregadas,Etiquetas,Total,TotalCanceladas,Ajustes,SinPrecio,SinCotizar,PorCotizar,SinTarifa';
const GOODS = { Contenido: 'Libros', Peso: 2.5, Largo: 30, Alto: 20, Ancho: 15, ValorDeclarado: 1500 };
const HEAVIER = { Peso: 8, Largo: 40, Alto: 30, Ancho: 30 };

const test = events
  .extend('admin', { scope: 'file' }, ({ stores }) => (args: string[], settings: object = {}) => {
    return runCommand(run, args, { env: { MONGODB_URI: stores.mongoUri, ...settings } });
  })
  .extend('usage', { scope: 'file' }, ({ admin }) => async (month: string, ...more: string[]) => {
    const { code, out, err } = await admin(['usage', '--month', month, ...more]);
    const [head, ...rows] = out.replace('\ufeff', '').trimEnd().split('\n');
    expect([head, rows.every((row) => row.startsWith(`${month},`))]).toEqual([HEAD, true]);
    return { code, rows: rows.map((row) => row.slice(month.length + 1)), err };
  })
  .extend('guides', { scope: 'file' }, ({ stores }) => stores.mongo.collection<GuideDocument>('guides'))
  .extend('entries', { scope: 'file' }, ({ stores }) => stores.mongo.collection<LogEntry>('events'))
  /** Says when a guide was created, by local time, and when each of its events was registered. */
  .extend('happened', { scope: 'file' }, ({ guides, entries }) => {
    return async (_id: string, createdAt: string, ...registered: string[]) => {
      const createdUtc = new Date(`${createdAt}-06:00`);
      await guides.updateOne({ _id }, { $set: { createdAt, createdUtc } });
      for (const [i, at] of registered.entries()) {
        const entry = { 'told.Guia': _id, version: i + 1 };
        await entries.updateOne(entry, { $set: { registered: new Date(at) } });
      }
    };
  })
  /** A guide that was quoted at 194.30. */
  .extend('quoted', { scope: 'file' }, ({ demo, newGuide }) => async () => {
    const Guia = [{ Destinatario: { CodigoPostal: '64000' }, Producto: GOODS }];
    const { body } = await demo.post('/api/guias/cotizar', { TipoServicio: 'Domicilio', Guia });
    const { Cotizacion } = (body.data as [{ Opciones: [{ Cotizacion: string }] }])[0].Opciones[0];
    const Destinatario = { Nombre: 'Luis', CodigoPostal: '64000' };
    return newGuide({ Destinatario, Producto: GOODS, Cotizacion });
  })
  /** A guide without a quote, which would be quoted at 194.30 with these measures. */
  .extend('unquoted', { scope: 'file' }, ({ newGuide }) => (measures: object = GOODS) => {
    const Producto = { Contenido: 'Libros', ValorDeclarado: 1500, ...measures };
    return newGuide({ Destinatario: { Nombre: 'Luis', CodigoPostal: '64000' }, Producto });
  })
  .extend('cancel', { scope: 'file' }, ({ demo }) => async (number: string) => {
    expect((await demo.post(`/api/guias/${number}/cancelar`, '')).status).toBe(200);
  });

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'usage-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

const MARCH = '2025-03-10T12:00:00';
const [IN_MARCH, IN_APRIL, IN_MAY] = ['2025-03-12T18:00:00Z', '2025-04-12T18:00:00Z', '2025-05-12T18:00:00Z'];

describe('npm run admin -- usage', () => {
  test('counts each fact in the month in which it was registered', async ({
    api,
    cancel,
    happened,
    newGuide,
    quoted,
    register,
    stores,
    usage,
  }) => {
    const weighed = await quoted();
    const facts = [
      event(weighed, 'Pesaje', { Id: 'p1', ...HEAVIER }),
      event(weighed, 'Pesaje', { Id: 'p2', Peso: 80 }),
      event(weighed, 'Pesaje', { Id: 'p3', Peso: 81 }),
      event(weighed, 'Entregado'),
    ];
    for (const fact of facts) expect(wordsOf(await register(fact))).toEqual(['registrado']);
    await happened(weighed, MARCH, IN_MARCH, IN_APRIL, IN_MAY, IN_MAY);
    const corrected = await newGuide();
    await register(event(corrected, 'Entregado', { Id: 'e1' }));
    await register(event(corrected, 'EnReparto'));
    await register(event(corrected, 'Anulacion', { Anula: 'e1' }));
    await happened(corrected, MARCH, IN_MARCH, IN_MARCH, IN_APRIL);
    for (const when of [IN_MARCH, IN_APRIL]) {
      const cancelled = await quoted();
      await cancel(cancelled);
      await happened(cancelled, MARCH, when);
    }
    for (const user of ['otro', 'prueba']) {
      const [guide] = await (await Client.login(api.url, user)).created(minimalGuide());
      await happened(guide?.SEND_GUIA ?? '', MARCH);
    }
    const labels = stores.mongo.collection<{ _id: string; labels: number; test?: true }>('labelUsage');
    await labels.insertMany([
      { _id: '2025-03 demo', labels: 7 },
      { _id: '2025-03 =1+1', labels: 3 },
      { _id: '2025-03 pruebas', labels: 2, test: true },
    ]);

    expect(await usage('2025-03')).toEqual({
      code: 0,
      rows: [
        "'=1+1,0,0,0,3,0,0,0,0,0,0,0",
        'demo,4,1,1,7,582.9,194.3,62.86,0,1,0,1',
        'otro,1,0,0,0,0,0,0,0,1,0,1',
      ],
      err: '2025-03 esta cerrado, y se guardo. Cuentas: 3.\n',
    });
    // One guide was cancelled, one is delivered no more, and no tariff carries what one weighs.
    expect((await usage('2025-04')).rows).toEqual(['demo,0,1,-1,0,0,194.3,-62.86,1,0,0,0']);
    // What had no price before still has none: that is no second one.
    expect((await usage('2025-05')).rows).toEqual(['demo,0,0,1,0,0,0,0,0,0,0,0']);
    const path = join(await newFolder(), 'pruebas.csv');
    expect(await usage('2025-03', '--test', '--without-tariff', path)).toEqual({
      code: 0,
      rows: ['pruebas,1,0,0,2,0,0,0,0,1,0,1'],
      err: `Cuentas de prueba: no se cobran, y no se guardo nada. Filas en ${path}: 1.\n`,
    });
    // Its number begins with 0.
    expect(await readFile(path, 'utf8')).toMatch(/^2025-03,pruebas,0\d{11},1,/m);
  });

  test('says what changed in a closed month, and nothing that is done later changes one', async ({
    admin,
    api,
    cancel,
    guides,
    happened,
    quoted,
    register,
    stores,
    unquoted,
    usage,
  }) => {
    const AUGUST = '2025-08-10T12:00:00';
    const [cancelled, delivered] = [await quoted(), await unquoted()];
    await happened(cancelled, AUGUST);
    await register(event(delivered, 'Entregado', { Id: 'e1', Recibe: 'Eva' }));
    await happened(delivered, AUGUST, '2025-08-12T18:00:00Z');
    const client = await Client.login(api.url, 'demo2');
    const [moved] = await client.created(minimalGuide());
    await happened(moved?.SEND_GUIA ?? '', AUGUST);
    const rows = ['demo,3,0,1,0,194.3,0,0,0,2,194.3,1'];
    expect((await usage('2025-08')).rows).toEqual(rows);

    await cancel(cancelled);
    await register(event(delivered, 'Anulacion', { Anula: 'e1' }));
    expect(await admin(['account', 'demo2', 'nueva'])).toMatchObject({ code: 0 });
    for await (const step of guideSteps(stores.mongo, 1_000))
      await anonymiseOlder(stores.mongo, step, new Date(), new Date());
    await personalEvents.anonymiseOlder(stores.mongo, new Date(), 1_000);
    for (const forget of forUsers(personalDataOf(ROOMS), 'forgetUser'))
      await forget(stores.mongo, 'demo2', () => {});
    const stored = /^2025-08 se guardo el \d{4}-\d\d-\d\d \d\d:\d\d \(America\/Mexico_City\)/;
    const again = await usage('2025-08');
    expect(again).toEqual({ code: 0, rows, err: expect.stringMatching(stored) });
    expect(again.err).toMatch(/; nada cambio\.\n$/);
    expect(await usage('2025-08', '--account', 'demo')).toMatchObject({ code: 0, rows });
    expect(await usage('2025-08', '--account', 'nueva')).toMatchObject({ code: 0, rows: [] });
    // Whose guides and events are from now on.
    expect(await guides.findOne({ _id: moved?.SEND_GUIA ?? '' })).toMatchObject({
      ...{ account: 'nueva', createdFor: 'demo', username: 'usuario eliminado' },
    });

    await guides.updateOne({ _id: cancelled }, { $set: { total: 194.31 } });
    await guides.updateOne({ _id: delivered }, { $set: { createdFor: 'otro' } });
    const changed = await usage('2025-08');
    expect(changed).toMatchObject({ code: 1, rows });
    expect(changed.err.split('\n').slice(1)).toEqual([
      'Un mes cerrado no debe cambiar. Cambio:',
      '  demo: Guias 2, se guardo 3',
      '  demo: Entregadas 0, se guardo 1',
      '  demo: Total 194.31, se guardo 194.30',
      '  demo: SinCotizar 1, se guardo 2',
      '  demo: PorCotizar 0.00, se guardo 194.30',
      '  otro: Guias 1, se guardo 0',
      '  otro: Entregadas 1, se guardo 0',
      '  otro: SinCotizar 1, se guardo 0',
      '  otro: PorCotizar 194.30, se guardo 0.00',
      '',
    ]);
    const elsewhere = await admin(['usage', '--month', '2025-08'], { TIME_ZONE: 'America/Tijuana' });
    expect(elsewhere).toEqual({
      ...{ code: 1, out: '' },
      err: 'El mes se guardo con TIME_ZONE=America/Mexico_City, no America/Tijuana: use la misma\n',
    });
  });

  test('that dies while it stores a month leaves it open, and is repeated', async ({
    admin,
    happened,
    newGuide,
    stores,
    usage,
  }) => {
    await happened(await newGuide(), '2024-11-10T12:00:00');
    const writes: unknown[] = [];
    const proxy = await startMongoProxy(stores.mongoUri, ({ insert }) => {
      if (insert !== 'usage') return 'done';
      return writes.push(insert) === 1 ? 'done' : 'never done';
    });
    onTestFinished(proxy.close);
    const died = await admin(['usage', '--month', '2024-11'], { MONGODB_URI: proxy.uri });
    expect([died.code, died.out]).toEqual([1, '']);
    expect(await usage('2024-11')).toEqual({
      ...{ code: 0, rows: ['demo,1,0,0,0,0,0,0,0,1,0,1'] },
      err: '2024-11 esta cerrado, y se guardo. Cuentas: 1.\n',
    });
  });

  test('waits for guides that a creation has committed and not stored', async ({
    admin,
    guides,
    happened,
    newGuide,
    stores,
  }) => {
    const [early, late] = [await newGuide(), await newGuide()];
    for (const number of [early, late]) await happened(number, '2024-07-10T12:00:00');
    const cut = (await guides.findOneAndDelete({ _id: late })) as GuideDocument;
    const creations = stores.mongo.collection<{ _id: string; openSince: Date }>('creations');
    // In the future, so that the api's sweep leaves the creation to its request.
    await creations.insertOne({ _id: 'open', openSince: new Date(Date.now() + 3_600_000) });
    const asked = Promise.withResolvers<void>();
    const proxy = await startMongoProxy(stores.mongoUri, ({ find }) => {
      if (find === 'creations') asked.resolve();
      return 'done';
    });
    onTestFinished(proxy.close);
    const closing = admin(['usage', '--month', '2024-07'], { MONGODB_URI: proxy.uri });
    await Promise.race([asked.promise, closing]);
    await guides.insertOne(cut);
    await creations.deleteOne({ _id: 'open' });
    expect((await closing).out).toContain('\n2024-07,demo,2,');
  });

  test('in another zone than the api’s stores no month', async ({ admin, happened, newGuide, usage }) => {
    await happened(await newGuide(), '2024-09-10T12:00:00');
    const args = ['usage', '--month', '2024-09'];
    expect(await admin(args, { TIME_ZONE: 'America/Tijuana' })).toEqual({
      ...{ code: 1, out: '' },
      err: 'Las guias de 2024-09 no tienen la hora de TIME_ZONE=America/Tijuana: use la zona del servicio api. No se guardo el mes\n',
    });
    expect((await usage('2024-09')).err).toBe('2024-09 esta cerrado, y se guardo. Cuentas: 1.\n');
  });

  test('counts all of a guide for whom it was created, also while it is with another account', async ({
    admin,
    api,
    happened,
    register,
    usage,
  }) => {
    const client = await Client.login(api.url, 'otro');
    const move = async (account: string) => {
      expect(await admin(['account', 'otro', account])).toMatchObject({ code: 0 });
      passTime(RECENT.freshMs);
    };
    const quoted = async () => {
      const Guia = [{ Destinatario: { CodigoPostal: '64000' }, Producto: GOODS }];
      const { body } = await client.post('/api/guias/cotizar', { TipoServicio: 'Domicilio', Guia });
      const { Cotizacion } = (body.data as [{ Opciones: [{ Cotizacion: string }] }])[0].Opciones[0];
      const guide = { ...minimalGuide({ CodigoPostal: '64000' }), Producto: GOODS, Cotizacion };
      return (await client.created(guide))[0]?.SEND_GUIA ?? '';
    };
    const [cancelled, weighed] = [await quoted(), await quoted()];
    const unquoted = async (measures: object) => {
      const guide = { ...minimalGuide({ CodigoPostal: '64000' }), Producto: measures };
      return (await client.created(guide))[0]?.SEND_GUIA ?? '';
    };
    const [bare, lacking] = [await unquoted(GOODS), await unquoted({ Contenido: 'Libros' })];
    await move('otra');
    expect((await client.post(`/api/guias/${cancelled}/cancelar`, '')).status).toBe(200);
    await register(event(weighed, 'Pesaje', { Id: 'p1', ...HEAVIER }));
    await register(event(weighed, 'Entregado'));
    await register(event(bare, 'Pesaje', HEAVIER));
    expect((await client.post(`/api/guias/${lacking}/cancelar`, '')).status).toBe(200);
    await move('otro');
    const again = '2023-09-12T18:00:00Z';
    await happened(cancelled, '2023-09-10T12:00:00', again);
    await happened(weighed, '2023-09-10T12:00:00', again, again);
    for (const guide of [bare, lacking]) await happened(guide, '2023-09-10T12:00:00', again);
    const rows = ['otro,4,2,1,0,479.66,239.83,80.19,0,2,320.02,0'];
    expect((await usage('2023-09', '--account', 'otra')).rows).toEqual([]);
    expect((await usage('2023-09', '--account', 'otro')).rows).toEqual(rows);
    expect((await usage('2023-09')).rows).toEqual(rows);
  });

  test('begins and ends a month at midnight of TIME_ZONE', async ({ cancel, happened, newGuide, usage }) => {
    const last = await newGuide();
    await cancel(last);
    await happened(last, '2025-06-30T23:59:59', '2025-07-01T05:59:59.999Z');
    const first = await newGuide();
    await cancel(first);
    await happened(first, '2025-07-01T00:00:00', '2025-07-01T06:00:00.000Z');
    for (const month of ['2025-06', '2025-07'])
      expect((await usage(month)).rows).toEqual(['demo,1,1,0,0,0,0,0,0,1,0,0']);
  });

  test('stores no month that may still change', async ({ admin, newGuide, stores, usage }) => {
    await newGuide();
    const now = new Date();
    const current = new Intl.DateTimeFormat('sv-SE', { timeZone: 'America/Mexico_City' })
      .format(now)
      .slice(0, 7);
    const { code, rows, err } = await usage(current);
    expect([code, rows.some((row) => row.startsWith('demo,'))]).toEqual([0, true]);
    expect(err).toMatch(
      /^Provisional: \d{4}-\d\d se cierra el \d{4}-\d\d-01 01:00 \(America\/Mexico_City\)\.\n$/,
    );
    const alone = await usage('2025-01', '--account', 'demo');
    expect(alone.err).toBe('No se guardo el mes: para guardarlo, pidalo sin --account.\n');
    const stored = stores.mongo.collection<{ _id: string }>('usage').find({ _id: /^(2025-01|202[6-9]) / });
    expect(await stored.toArray()).toEqual([]);

    const wrong = [
      [['--month', '2098-01'], '--month debe ser un mes que ya empezo'],
      [['--month', '2025-13'], '--month debe ser un mes como 2026-11'],
      [[], 'Falta --month. Vea usage --help'],
    ] as const;
    for (const [args, message] of wrong)
      expect(await admin(['usage', ...args])).toEqual({ code: 2, out: '', err: `${message}\n` });
  });

  test('bills guides without a quote by the tariff of their creation', async ({
    cancel,
    entries,
    guides,
    happened,
    quoted,
    register,
    unquoted,
    usage,
  }) => {
    const CREATED = '2022-03-10T12:00:00';
    const [MARCH, APRIL, MAY] = ['2022-03-12T18:00:00Z', '2022-04-12T18:00:00Z', '2022-05-12T18:00:00Z'];
    const weigh = (guide: string, Id: string, measures: object = HEAVIER) =>
      register(event(guide, 'Pesaje', { Id, ...measures }));
    const [withQuote, untouched] = [await quoted(), await unquoted()];
    for (const guide of [withQuote, untouched]) await happened(guide, CREATED);
    const measuredLater = await unquoted({});
    await weigh(measuredLater, 'p1');
    await happened(measuredLater, CREATED, APRIL);
    const weighedByMistake = await unquoted();
    await weigh(weighedByMistake, 'p1');
    await register(event(weighedByMistake, 'Anulacion', { Anula: 'p1' }));
    await happened(weighedByMistake, CREATED, APRIL, MAY);
    const [cancelled, cancelledUnpriced] = [await unquoted(), await unquoted({})];
    for (const guide of [cancelled, cancelledUnpriced]) {
      await cancel(guide);
      await happened(guide, CREATED, APRIL);
    }
    const cancelledWeighed = await unquoted();
    await weigh(cancelledWeighed, 'p1');
    const [weighing] = await entries.find({ 'told.Guia': cancelledWeighed }).toArray();
    const { unquoted: _, ...entry } = weighing as LogEntry;
    const told = { ...entry.told, Tipo: 'Cancelacion' as const, Id: 'c' };
    await entries.insertOne({ ...entry, _id: 'demo 000000999999', told, version: 2 });
    await happened(cancelledWeighed, CREATED, MARCH, APRIL);
    const tooHeavy = await unquoted();
    await weigh(tooHeavy, 'p1', { Peso: 71 });
    await weigh(tooHeavy, 'p2');
    await happened(tooHeavy, CREATED, APRIL, MAY);
    const tooHeavyAtOnce = await unquoted({});
    await weigh(tooHeavyAtOnce, 'p1', { ...HEAVIER, Peso: 71 });
    await happened(tooHeavyAtOnce, CREATED, MARCH);
    const earlier = await unquoted();
    await guides.updateOne({ _id: earlier }, { $unset: { unquoted: 1, priced: 1 } });
    await weigh(earlier, 'p1');
    await happened(earlier, CREATED, APRIL);

    const folder = await newFolder();
    const month = async (name: string) => {
      const path = join(folder, `${name}.csv`);
      const { code, rows, err } = await usage(name, '--without-tariff', path);
      const [head, ...listed] = (await readFile(path, 'utf8')).replace('\ufeff', '').trimEnd().split('\n');
      expect([code, head]).toEqual([0, 'Mes,Cuenta,Guia,SinTarifa,Motivo']);
      const added = listed.reduce((sum, row) => sum + Number(row.split(',')[3]), 0);
      expect([added, listed.toSorted()]).toEqual([Number(rows[0]?.split(',').at(-1)), listed]);
      return { rows, listed, err };
    };
    const unpriced = (name: string, ...guides: [guide: string, count: number, why: string][]) =>
      guides.map(([guide, count, why]) => `${name},demo,${guide},${count},${why}`).toSorted();
    // Four at 194.30 as created, one as it was weighed in the same month.
    expect(await month('2022-03')).toEqual({
      rows: ['demo,10,0,0,0,194.3,0,0,0,9,1034.36,4'],
      listed: unpriced(
        '2022-03',
        [measuredLater, 1, 'falta el peso o una medida'],
        [cancelledUnpriced, 1, 'falta el peso o una medida'],
        [tooHeavyAtOnce, 1, 'el paquete pesa más de lo que la tarifa admite'],
        [earlier, 1, 'se creó con una versión anterior a la 1.9'],
      ),
      err: `2022-03 esta cerrado, y se guardo. Cuentas: 1. Filas en ${join(folder, '2022-03.csv')}: 4.\n`,
    });
    // 257.16 of the first weighing and 62.86 more, less 194.30 and 257.16 cancelled, and 194.30 that is no price any more.
    expect(await month('2022-04')).toMatchObject({
      rows: ['demo,0,3,0,0,0,0,0,0,0,-325.74,-1'],
      listed: unpriced(
        '2022-04',
        [measuredLater, -1, 'un pesaje le dio precio'],
        [cancelledUnpriced, -1, 'se canceló'],
        [tooHeavy, 1, 'el paquete pesa más de lo que la tarifa admite'],
      ),
    });
    expect(await month('2022-05')).toMatchObject({
      rows: ['demo,0,0,0,0,0,0,0,0,0,194.3,-1'],
      listed: unpriced('2022-05', [tooHeavy, -1, 'un pesaje le dio precio']),
    });
    // The months together: what the guides cost that are not cancelled, and those that have no price now.
    expect(Math.round(100 * (1034.36 - 325.74 + 194.3))).toBe(2 * 19_430 + 2 * 25_716);
  });

  test('computes the figures that a month lacks because an earlier release stored it', async ({
    api,
    guides,
    happened,
    newGuide,
    stores,
    usage,
  }) => {
    const [guide] = await (await Client.login(api.url, 'otro')).created(minimalGuide());
    for (const number of [await newGuide(), guide?.SEND_GUIA ?? ''])
      await happened(number, '2024-01-10T12:00:00');
    const later = await newGuide();
    await happened(later, '2024-02-10T12:00:00');
    const counts = { guides: 1, cancelled: 0, delivered: 0, labels: 0 };
    const sums = { total: 0, cancelledTotal: 0, adjustments: 0, unpriced: 0 };
    const row = { ...counts, ...sums, timeZone: 'America/Mexico_City', at: new Date('2024-03-10T18:00:00Z') };
    // January was cut before all of it was stored.
    const stored = ['2024-01 demo', '2024-02 demo', '2024-02 '].map((_id) => ({ ...row, _id }));
    await stores.mongo.collection<{ _id: string }>('usage').insertMany(stored);
    const lacking = 'con una version anterior (SinCotizar, PorCotizar, SinTarifa: lo que se calculo ahora)';
    const january = ['demo,1,0,0,0,0,0,0,0,1,0,1', 'otro,1,0,0,0,0,0,0,0,1,0,1'];
    expect(await usage('2024-01')).toEqual({
      ...{ code: 0, rows: january },
      err: `2024-01 esta cerrado, y se guardo ${lacking}. Cuentas: 2.\n`,
    });
    for (const [month, rows] of [
      ['2024-01', january],
      ['2024-02', ['demo,1,0,0,0,0,0,0,0,1,0,1']],
    ] as const) {
      const again = await usage(month);
      expect(again).toMatchObject({ code: 0, rows });
      expect(again.err.endsWith(`) ${lacking}; nada cambio.\n`)).toBe(true);
    }
    await guides.updateOne({ _id: later }, { $set: { createdFor: 'nueva' } });
    const { code, err } = await usage('2024-02');
    const changes = ['  demo: Guias 0, se guardo 1', '  nueva: Guias 1, se guardo 0', ''];
    expect([code, err.split('\n').slice(2)]).toEqual([1, changes]);
  });

  test('with a file that cannot be written stores nothing, and leaves no file when it fails', async ({
    admin,
    happened,
    newGuide,
    usage,
  }) => {
    const guide = await newGuide();
    await happened(guide, '2024-03-10T12:00:00');
    const folder = await newFolder();
    const path = join(folder, 'sin-tarifa.csv');
    const close = (path: string, settings?: object) =>
      admin(['usage', '--month', '2024-03', '--without-tariff', path], settings);
    await writeFile(path, 'de alguien');
    expect(await close(path)).toEqual({
      ...{ code: 1, out: '' },
      err: 'El archivo de --without-tariff ya existe, y no se toca: indique otro, o borrelo si es de un comando que no termino\n',
    });
    expect(await readFile(path, 'utf8')).toBe('de alguien');
    const missing = join(folder, 'no', 'hay.csv');
    expect(await close(missing)).toEqual({
      ...{ code: 1, out: '' },
      err: `No se puede escribir ${missing} (ENOENT), y no se guardo nada: indique en --without-tariff un archivo en una carpeta en la que se pueda escribir\n`,
    });
    expect(await close(join(folder, 'otro.csv'), { TIME_ZONE: 'America/Tijuana' })).toMatchObject({
      code: 1,
    });
    expect(await readdir(folder)).toEqual(['sin-tarifa.csv']);
    expect((await usage('2024-03')).err).toBe('2024-03 esta cerrado, y se guardo. Cuentas: 1.\n');
    // The file can be asked for later.
    const later = join(folder, 'despues.csv');
    expect((await close(later)).code).toBe(0);
    const [, row] = (await readFile(later, 'utf8')).split('\n');
    expect(row).toBe(`2024-03,demo,${guide},1,falta el peso o una medida`);
  });

  test('counts each guide and event once, however many there are', async ({
    entries,
    guides,
    newGuide,
    usage,
  }) => {
    const template = await guides.findOne({ _id: await newGuide() });
    const registered = new Date('2024-05-10T18:00:00Z');
    const numbers = Array.from({ length: 4_500 }, (_, i) => `9${String(i).padStart(11, '0')}`);
    // All of one moment; two thirds are of one account, the others of a thousand.
    const accountOf = (i: number) => (i % 3 === 0 ? `a${i % 1_000}` : 'b-grande');
    await guides.insertMany(
      numbers.map((_id, i) => ({
        ...(template as GuideDocument),
        ...{
          _id,
          account: accountOf(i),
          createdAt: '2024-05-10T12:00:00',
          createdUtc: registered,
          total: 0.1,
          unquoted: { version: 1, total: 10 },
        },
      })),
    );
    const counts = new Map<string, number>();
    await entries.insertMany(
      numbers.map((Guia, i) => {
        const account = accountOf(i);
        const number = (counts.get(account) ?? 0) + 1;
        counts.set(account, number);
        const told = { Guia, Tipo: 'Cancelacion' as const, Id: 'c', Ocurrido: registered.toISOString() };
        const rest = { status: 'Cancelado' as const, version: 1, username: 'x', append: `${i}`, registered };
        return { _id: `${account} ${String(number).padStart(12, '0')}`, told, ...rest };
      }),
    );
    const { rows } = await usage('2024-05');
    expect([rows.length, rows.at(-1)]).toEqual([counts.size, 'b-grande,3000,3000,0,0,300,300,0,0,3000,0,0']);
    const cells = rows.map((row) => row.split(',').slice(1, 3).map(Number));
    expect(cells.reduce(([a = 0, b = 0], [c = 0, d = 0]) => [a + c, b + d])).toEqual([4_500, 4_500]);
    expect(await usage('2024-05', '--account', 'b-grande')).toMatchObject({ rows: [rows.at(-1)] });
  });
});
