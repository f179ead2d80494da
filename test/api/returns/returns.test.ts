import type { Connection } from 'mongoose';
import { describe, expect, vi } from 'vitest';
import { monthOf } from '#services/api/billing/months.ts';
import { readUsage } from '#services/api/billing/read-usage.ts';
import { guides as guidesRoom } from '#services/api/guides/room.ts';
import { localTimeFormatter } from '#services/api/platform/local-time.ts';
import { cancelUnscanned } from '#services/api/returns/cancel-unscanned.ts';
import { returns as room } from '#services/api/returns/room.ts';
import { tracking as trackingRoom } from '#services/api/tracking/room.ts';
import { GUIDES } from '#shared/guides/guide-model.ts';
import { RETURNS } from '#shared/returns/return-model.ts';
import { modelOf } from '#shared/stores/collection.ts';
import { type Answer, Client, fullGuide, minimalGuide } from '#test/fixtures/client.ts';
import { event, test as events } from '#test/fixtures/events.ts';
import { finishCut } from '#test/fixtures/finish-cut.ts';
import { pretendFormerApi } from '#test/fixtures/former-api.ts';
import { visit } from '#test/fixtures/page-visits.ts';

/** Returns (docs/contract.md "Returns"). */

type Guide = Record<string, unknown> & { SEND_GUIA: string };
/** Its sender has a covered address. */
const { Remitente, ...rest } = fullGuide();
const FULL = { ...rest, Remitente: { ...Remitente, CodigoPostal: '06600' } };
const QUIET = { info: () => {}, warn: () => {} };
const guideOf = ({ body }: Answer) => body.data as Guide;

const test = events
  .extend(
    'goBack',
    { scope: 'file' },
    ({ demo }) =>
      (number: string, body: object = {}, key?: string) =>
        demo.post(`/api/guias/${number}/devolucion`, body, key ? { 'idempotency-key': key } : {}),
  )
  .extend(
    'read',
    { scope: 'file' },
    ({ demo }) =>
      async (number: string) =>
        guideOf(await demo.get(`/api/guias/${number}`)),
  )
  /** A guide that is delivered. */
  .extend('delivered', { scope: 'file' }, ({ newGuide, register }) => async (more: object = {}) => {
    const number = await newGuide(more);
    await register(event(number, 'Entregado'));
    return number;
  });

describe('a return', () => {
  test('is made of a delivered guide, and both name each other in every answer', async ({
    demo,
    delivered,
    goBack,
    read,
    register,
  }) => {
    const number = await delivered(FULL);
    const made = await goBack(number);
    expect([made.status, made.body.message]).toEqual([200, 'Devolucion creada']);
    const back = guideOf(made);
    expect(back).toMatchObject({
      ...{ SEND_SUCU_ORIG: 'MTY01', SEND_SUCU_DEST: 'MEX01', SEND_ESTATUS: 'Documentado' },
      ...{ SEND_REMITENTE: 'Luis Pérez Muñoz', SEND_DESTINATARIO: 'Ana López' },
      ...{ DevolucionDe: number, Referencia: 'PEDIDO-1042' },
    });
    expect(await read(back.SEND_GUIA)).toMatchObject({ DevolucionDe: number, TipoServicio: 'Domicilio' });
    expect(await read(number)).toMatchObject({ Devolucion: back.SEND_GUIA });
    const listed = (await demo.get('/api/guias?referencia=PEDIDO-1042')).body.data as Guide[];
    const others = listed.map(({ Devolucion, DevolucionDe }) => Devolucion ?? DevolucionDe);
    expect(new Set(others)).toEqual(new Set([number, back.SEND_GUIA]));
    await register(event(back.SEND_GUIA, 'Recolectado'), event(number, 'Pesaje', { Peso: 3 }));
    await expect
      .poll(async () => {
        const { data } = (await demo.get('/api/eventos?limite=500')).body as { data: Guide[] };
        const last = (guide: string) => data.findLast(({ SEND_GUIA }) => SEND_GUIA === guide);
        return [last(back.SEND_GUIA)?.DevolucionDe, last(number)?.Devolucion];
      })
      .toEqual([number, back.SEND_GUIA]);
  });

  test('waits for the delivery, unless it is early; an annulled delivery changes nothing in it', async ({
    newGuide,
    register,
    goBack,
    read,
  }) => {
    const number = await newGuide();
    expect((await goBack(number)).body.codigo).toBe('guia_no_entregada');
    expect(guideOf(await goBack(number, { Anticipada: true, Motivo: 'cambio' }))).toMatchObject({
      ...{ Anticipada: true, MotivoDevolucion: 'cambio' },
    });
    const other = await newGuide();
    await register(event(other, 'Entregado', { Id: 'mal' }));
    const { SEND_GUIA } = guideOf(await goBack(other));
    await register(event(other, 'Anulacion', { Anula: 'mal' }));
    expect(await read(SEND_GUIA)).toMatchObject({ SEND_ESTATUS: 'Documentado' });
  });

  test('keeps a price that its account never asked for', async ({ delivered, goBack, read }) => {
    const back = guideOf(await goBack(await delivered(FULL)));
    expect(back.SEND_TOTAL).toBeGreaterThan(0);
    expect(await read(back.SEND_GUIA)).toMatchObject({ Conceptos: expect.any(Array) });
  });

  test('costs what was quoted', async ({ demo, delivered, goBack }) => {
    const number = await delivered(FULL);
    const quoted = await demo.post(`/api/guias/${number}/devolucion/cotizar`, {});
    const { SEND_SUCU_ORIG, SEND_SUCU_DEST, Opciones } = quoted.body.data as {
      SEND_SUCU_ORIG: string;
      SEND_SUCU_DEST: string;
      Opciones: { SEND_TOTAL: number; TipoServicio: string; Cotizacion: string }[];
    };
    expect([SEND_SUCU_ORIG, SEND_SUCU_DEST]).toEqual(['MTY01', 'MEX01']);
    const [option] = Opciones;
    expect([Opciones.length, option?.TipoServicio]).toEqual([1, 'Domicilio']);
    const { Cotizacion } = option ?? {};
    expect(guideOf(await goBack(number, { Cotizacion }))).toMatchObject({ SEND_TOTAL: option?.SEND_TOTAL });
  });

  test('is the same for the same key, and then a conflict', async ({ delivered, goBack, demo }) => {
    const number = await delivered();
    const first = await goBack(number, {}, 'una');
    const again = await goBack(number, {}, 'una');
    expect(guideOf(again)).toEqual(guideOf(first));
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    const { SEND_GUIA } = guideOf(first);
    expect((await goBack(number)).body).toMatchObject({
      ...{ codigo: 'devolucion_existente', message: `La guia ya tiene la devolucion ${SEND_GUIA}` },
    });
    await demo.post(`/api/guias/${SEND_GUIA}/cancelar`, '');
    expect(guideOf(await goBack(number, {}, 'una')).SEND_GUIA).toBe(SEND_GUIA);
  });

  test('that is cancelled frees its guide', async ({ demo, delivered, goBack, read }) => {
    const number = await delivered();
    const { SEND_GUIA } = guideOf(await goBack(number));
    await demo.post(`/api/guias/${SEND_GUIA}/cancelar`, '');
    expect(await read(number)).not.toHaveProperty('Devolucion');
    const next = guideOf(await goBack(number));
    expect(next.SEND_GUIA).not.toBe(SEND_GUIA);
    expect(await read(number)).toMatchObject({ Devolucion: next.SEND_GUIA });
  });
});

test('of twenty requests at once on three processes, one makes the return', async ({
  api,
  startApi,
  demo,
  delivered,
}) => {
  const number = await delivered();
  const apis = [api, await startApi(), await startApi()];
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, i) =>
      new Client(apis[i % 3]?.url ?? '', demo.token).post(`/api/guias/${number}/devolucion`, {}),
    ),
  );
  const made = answers.filter(({ status }) => status === 200).map(guideOf);
  expect(made).toHaveLength(1);
  const others = answers.filter(({ status }) => status !== 200);
  expect(new Set(others.map(({ body }) => body.message))).toEqual(
    new Set([`La guia ya tiene la devolucion ${made[0]?.SEND_GUIA}`]),
  );
});

test('what a crash cut between the guide and its original is finished', async ({
  api,
  delivered,
  goBack,
  read,
  stores,
}) => {
  const number = await delivered();
  const { SEND_GUIA } = guideOf(await goBack(number));
  const { journal, guides } = api.contextOf(guidesRoom);
  const _id = `devolucion ${number} 0`;
  const creations = stores.mongo.collection<{ _id: string }>('creations');
  // The answer does not wait for it.
  await expect.poll(() => creations.findOne({ _id })).toHaveProperty('numbers');
  // As the journal was when the guide was stored, and nothing else.
  const record = await guides.find(SEND_GUIA);
  const fact = 'facts.Devolucion';
  await stores.mongo
    .collection<{ _id: string }>('guides')
    .updateOne({ _id: number }, { $unset: { [fact]: 1 } });
  await modelOf(stores.mongo, RETURNS).deleteOne({ _id: SEND_GUIA });
  await creations.updateOne(
    { _id },
    { $set: { records: [record], openSince: new Date(0) }, $unset: { numbers: 1 } },
  );
  await finishCut(journal);
  expect((await read(number)).Devolucion).toBe(SEND_GUIA);
  expect(await modelOf(stores.mongo, RETURNS).findOne({ _id: SEND_GUIA }).lean()).toMatchObject({
    of: number,
  });
});

test('the list says which early return comes before the delivery', async ({
  demo,
  newGuide,
  register,
  goBack,
}) => {
  const number = await newGuide();
  const { SEND_GUIA } = guideOf(await goBack(number, { Anticipada: true }));
  const row = async () => {
    const { data } = (await demo.get('/api/devoluciones?limite=500')).body as { data: Guide[] };
    return data.find((guide) => guide.SEND_GUIA === SEND_GUIA);
  };
  expect(await row()).not.toHaveProperty('Aviso');
  await register(event(SEND_GUIA, 'Recolectado'));
  expect(await row()).toMatchObject({ Aviso: 'anticipada_sin_entrega', DevolucionDe: number });
  await register(event(number, 'Entregado'));
  expect(await row()).not.toHaveProperty('Aviso');
});

test('the list is walked by its cursor, each return once', async ({ demo }) => {
  const seen: string[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const query = cursor === undefined ? '' : `&cursor=${cursor}`;
    const { body } = await demo.get(`/api/devoluciones?limite=2${query}`);
    seen.push(...(body.data as Guide[]).map(({ SEND_GUIA }) => SEND_GUIA));
    cursor = (body as { siguiente?: string | null }).siguiente ?? null;
  }
  expect(new Set(seen).size).toBe(seen.length);
  const all = (await demo.get('/api/devoluciones?limite=500')).body.data as Guide[];
  expect(seen).toEqual(all.map(({ SEND_GUIA }) => SEND_GUIA));
});

test('tracking pages lead to each other', async ({ api, delivered, goBack }) => {
  const number = await delivered();
  const { SEND_GUIA } = guideOf(await goBack(number));
  expect((await visit(api.url, `/rastreo/${number}`)).text).toContain(`Se devuelve con la guía ${SEND_GUIA}`);
  expect((await visit(api.url, `/rastreo/${SEND_GUIA}`)).text).toContain(
    `Es la devolución de la guía ${number}`,
  );
});

test('counts on the bill in the month of its first event, and never without one', async ({
  api,
  stores,
  register,
}) => {
  // An account of its own.
  const otro = await Client.login(api.url, 'otro');
  const [first, second] = await otro.created(FULL, minimalGuide());
  const before = await usageOf(stores.mongo, 'otro');
  const made = [];
  for (const guide of [first, second]) {
    made.push(guideOf(await otro.post(`/api/guias/${guide?.SEND_GUIA}/devolucion`, { Anticipada: true })));
  }
  expect(await usageOf(stores.mongo, 'otro')).toEqual(before);
  const [scanned, unscanned] = made;
  await otro.post(`/api/guias/${unscanned?.SEND_GUIA}/cancelar`, '');
  await register(
    event(scanned?.SEND_GUIA ?? '', 'Recolectado'),
    event(scanned?.SEND_GUIA ?? '', 'EnTransito'),
  );
  const total = Math.round(100 * Number(scanned?.SEND_TOTAL));
  expect(total).toBeGreaterThan(0);
  expect(await usageOf(stores.mongo, 'otro')).toEqual({
    ...before,
    ...{ guides: (before?.guides ?? 0) + 1, total: (before?.total ?? 0) + total },
  });
});

test('one whose first event a release before registered is on the bill by the next one, once', async ({
  api,
  register,
  stores,
}) => {
  const otro = await Client.login(api.url, 'otro');
  const billed = async () => (await usageOf(stores.mongo, 'otro'))?.guides;
  const [guide] = await otro.created(minimalGuide());
  const { SEND_GUIA } = guideOf(
    await otro.post(`/api/guias/${guide?.SEND_GUIA}/devolucion`, { Anticipada: true }),
  );
  const before = (await billed()) ?? 0;
  await register(event(SEND_GUIA, 'Recolectado'));
  const entries = stores.mongo.collection('events');
  await entries.updateOne({ 'told.Guia': SEND_GUIA }, { $unset: { billed: 1 } });
  expect(await billed()).toBe(before);
  await register(event(SEND_GUIA, 'EnTransito'), event(SEND_GUIA, 'EnSucursal'));
  expect(await billed()).toBe(before + 1);
});

test('one that nobody scans is cancelled after its days, and frees its guide', async ({
  api,
  delivered,
  goBack,
  read,
  register,
  stores,
}) => {
  const [number, other] = [await delivered(), await delivered()];
  const forgotten = guideOf(await goBack(number));
  const scanned = guideOf(await goBack(other));
  await register(event(scanned.SEND_GUIA, 'Recolectado'));
  const all = modelOf(stores.mongo, RETURNS);
  const ofBoth = { _id: { $in: [forgotten.SEND_GUIA, scanned.SEND_GUIA] } };
  await all.updateMany(ofBoth, { $set: { reviewAfter: new Date(0) } });
  const deps = { ...api.contextOf(room), ...api.contextOf(guidesRoom), ...api.contextOf(trackingRoom) };
  await cancelUnscanned(deps, QUIET);
  await cancelUnscanned(deps, QUIET);
  expect(await read(forgotten.SEND_GUIA)).toMatchObject({ SEND_ESTATUS: 'Cancelado' });
  expect(await read(number)).not.toHaveProperty('Devolucion');
  expect(await read(scanned.SEND_GUIA)).toMatchObject({ SEND_ESTATUS: 'Recolectado' });
  expect(await read(other)).toMatchObject({ Devolucion: scanned.SEND_GUIA });
  expect(await all.countDocuments({ ...ofBoth, reviewAfter: { $exists: true } })).toBe(0);
});

test('one that cannot be cancelled keeps none behind it from its turn', async ({
  api,
  delivered,
  goBack,
  read,
  stores,
}) => {
  const one = guideOf(await goBack(await delivered())).SEND_GUIA;
  const two = guideOf(await goBack(await delivered())).SEND_GUIA;
  const all = modelOf(stores.mongo, RETURNS);
  const deps = { ...api.contextOf(room), ...api.contextOf(guidesRoom), ...api.contextOf(trackingRoom) };
  const find = deps.guides.find.bind(deps.guides);
  vi.spyOn(deps.guides, 'find').mockImplementation((number) =>
    number === one ? Promise.reject(new Error('unreadable')) : find(number),
  );
  await all.updateOne({ _id: one }, { $set: { reviewAfter: new Date(0) } });
  await all.updateOne({ _id: two }, { $set: { reviewAfter: new Date(1) } });
  await cancelUnscanned(deps, QUIET);
  expect(await read(two)).toMatchObject({ SEND_ESTATUS: 'Cancelado' });
  expect((await all.findOne({ _id: one }).lean())?.reviewAfter).toEqual(new Date(0));
});

test('a test account plays an early return, which nobody pays, and which goes with its guide', async ({
  api,
  stores,
}) => {
  const tester = await Client.login(api.url, 'prueba');
  const [guide] = await tester.created(minimalGuide());
  const back = guideOf(await tester.post(`/api/guias/${guide?.SEND_GUIA}/devolucion`, { Anticipada: true }));
  expect(back).toMatchObject({ Prueba: true, SEND_GUIA: expect.stringMatching(/^0/) });
  const play = async (body: object) =>
    (
      await tester.post(`/api/guias/${back.SEND_GUIA}/simular`, {
        Escenario: 'devolucion_anticipada',
        ...body,
      })
    ).status;
  expect(await play({ Hasta: 'Recolectado' })).toBe(200);
  const row = async () => ((await tester.get('/api/devoluciones')).body.data as Guide[])[0];
  const warned = { SEND_GUIA: back.SEND_GUIA, Aviso: 'anticipada_sin_entrega' };
  expect(await row()).toMatchObject(warned);
  expect(await play({})).toBe(200);
  expect(await row()).toMatchObject({ ...warned, SEND_ESTATUS: 'Entregado' });

  const localTime = localTimeFormatter('America/Mexico_City');
  const month = monthOf(localTime(new Date()).slice(0, 7), localTime);
  const onProgress = () => {};
  const usage = await readUsage(stores.mongo, month, { test: false, account: undefined, onProgress });
  expect(usage.has('pruebas')).toBe(false);
  const { expiresAt } = (await modelOf(stores.mongo, GUIDES).findById(back.SEND_GUIA).lean()) ?? {};
  expect(expiresAt).toBeInstanceOf(Date);
  expect(await modelOf(stores.mongo, RETURNS).findById(back.SEND_GUIA).lean()).toMatchObject({ expiresAt });
});

test('none is made while an api of a release before would print it without its mark', async ({
  stores,
  delivered,
  goBack,
}) => {
  const number = await delivered();
  const leave = await pretendFormerApi(stores);
  const { status, body } = await goBack(number);
  expect([status, body.codigo]).toEqual([503, 'servicio_no_disponible']);
  await leave();
  expect((await goBack(number)).status).toBe(200);
});

test('is in no manifest of all that waits, because somebody else hands it over', async ({
  demo,
  newGuide,
  goBack,
}) => {
  // From MEX01, the branch of `demo`.
  const number = await newGuide();
  const { SEND_GUIA, SEND_SUCU_ORIG } = guideOf(
    await goBack(number, { Anticipada: true, DestinoCode: 'MTY01' }),
  );
  expect(SEND_SUCU_ORIG).toBe('MEX01');
  const { Detalle } = (await demo.post('/api/manifiestos', {})).body.data as { Detalle: Guide[] };
  const listed = Detalle.map((guide) => guide.SEND_GUIA);
  expect(listed).toContain(number);
  expect(listed).not.toContain(SEND_GUIA);
});

/** Returns what an account has to pay for this month. */
async function usageOf(mongo: Connection, account: string) {
  const localTime = localTimeFormatter('America/Mexico_City');
  const month = monthOf(localTime(new Date()).slice(0, 7), localTime);
  return (await readUsage(mongo, month, { test: false, account, onProgress: () => {} })).get(account);
}
