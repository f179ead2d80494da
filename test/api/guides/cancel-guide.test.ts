import { describe, expect } from 'vitest';
import { AuditStore } from '#shared/audit/audit-store.ts';
import type { GuideDocument } from '#shared/guides/guide-model.ts';
import { Client, minimalGuide } from '#test/fixtures/client.ts';
import { printingTest as services } from '#test/fixtures/services.ts';

const test = services
  .extend('guides', { scope: 'file' }, ({ stores }) => stores.mongo.collection<GuideDocument>('guides'))
  .extend('newGuide', { scope: 'file' }, ({ demo }) => async () => {
    const [guide] = await demo.created(minimalGuide());
    return guide as NonNullable<typeof guide>;
  });
const cancel = (client: Client, number: string) => client.post(`/api/guias/${number}/cancelar`, '');

describe('POST /api/guias/{guia}/cancelar', () => {
  test('cancels the guide for good, and keeps who and when', async ({ demo, guides, newGuide }) => {
    const guide = await newGuide();
    const before = Date.now();
    const { status, body } = await cancel(demo, guide.SEND_GUIA);
    expect([status, body.message]).toEqual([200, 'Guia cancelada']);
    expect(body.data).toEqual({ ...guide, SEND_ESTATUS: 'Cancelado' });
    const stored = await guides.findOne({ _id: guide.SEND_GUIA });
    expect(stored).toMatchObject({ status: 'Cancelado', cancelled: { by: 'demo' } });
    expect(stored?.cancelled?.at.getTime()).toBeGreaterThanOrEqual(before);
    const read = await demo.get(`/api/guias/${guide.SEND_GUIA}`);
    expect(read.body.data).toMatchObject({ SEND_ESTATUS: 'Cancelado' });
  });

  test('again is the same answer, the first one stays', async ({ api, demo, guides, newGuide, stores }) => {
    const { SEND_GUIA } = await newGuide();
    await stores.mongo
      .collection<{ _id: string }>('users')
      .updateOne({ _id: 'demo2' }, { $addToSet: { permissions: 'guias.cancel' as never } });
    const colleague = await Client.login(api.url, 'demo2');
    const first = await cancel(demo, SEND_GUIA);
    const stored = await guides.findOne({ _id: SEND_GUIA });
    const again = await cancel(colleague, SEND_GUIA);
    expect([again.status, again.body.data]).toEqual([200, first.body.data]);
    expect(await guides.findOne({ _id: SEND_GUIA })).toEqual(stored);
  });

  test('by many at once is one cancellation in the trail', async ({ demo, newGuide, stores }) => {
    const { SEND_GUIA } = await newGuide();
    const answers = await Promise.all(Array.from({ length: 20 }, () => cancel(demo, SEND_GUIA)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const trail = new AuditStore(stores.mongo);
    const found = async () =>
      (await trail.find({ action: 'guide.cancel' }, 50)).filter(
        ({ details }) => details?.guide === SEND_GUIA,
      );
    await expect.poll(found).not.toEqual([]);
    const who = { actor: 'demo', account: 'demo', subject: 'demo', address: '127.0.0.1' };
    expect(await found()).toMatchObject([{ ...who, outcome: 'ok', service: 'api' }]);
  });

  test('does whatever the body is', async ({ demo, newGuide }) => {
    const path = `/api/guias/${(await newGuide()).SEND_GUIA}/cancelar`;
    for (const [body, type] of [
      ['', 'application/json'],
      ['{', 'application/json'],
      ['motivo=error', 'application/x-www-form-urlencoded'],
    ] as const) {
      expect((await demo.post(path, body, { 'content-type': type })).status).toBe(200);
    }
  });

  test('needs guias.cancel, and a guide of the own account', async ({ api, guides, newGuide, stores }) => {
    const { SEND_GUIA } = await newGuide();
    const ask = async (user: string) => {
      const { status, body } = await cancel(await Client.login(api.url, user), SEND_GUIA);
      return [status, body.codigo];
    };
    expect(await ask('lectura')).toEqual([403, 'sin_permiso']);
    expect(await ask('otro')).toEqual([404, 'guia_no_encontrada']);
    await stores.mongo
      .collection<{ _id: string }>('users')
      .updateOne({ _id: 'operaciones' }, { $addToSet: { permissions: 'guias.cancel' as never } });
    expect(await ask('operaciones')).toEqual([404, 'guia_no_encontrada']);
    expect((await guides.findOne({ _id: SEND_GUIA }))?.status).toBe('Documentado');
  });

  test('gives nothing back to the day’s guides', async ({ startApi }) => {
    const api = await startApi({ GUIDES_PER_DAY_PER_ACCOUNT: '1' });
    const otro = await Client.login(api.url, 'otro');
    const [guide] = await otro.created(minimalGuide());
    for (let i = 0; i < 2; i++) expect((await cancel(otro, guide?.SEND_GUIA ?? '')).status).toBe(200);
    expect((await otro.create([minimalGuide()])).body.codigo).toBe('cuota_excedida');
  });
});

describe('the labels of a cancelled guide', () => {
  test.for(['etiqueta', 'etiqueta-pequena', 'etiqueta-10x15'])(
    'are not printed: %s',
    async (kind, { demo, newGuide }) => {
      const { SEND_GUIA } = await newGuide();
      const path = `/api/guias/${kind}/${SEND_GUIA}`;
      const printed = await demo.pdf(path);
      expect(printed.status).toBe(200); // and is in the cache from now on
      await cancel(demo, SEND_GUIA);
      for (const headers of [
        {},
        { 'if-none-match': printed.headers.get('etag') ?? '' },
        { 'if-none-match': '*' },
      ]) {
        const { status, headers: answered, body } = await demo.get(path, headers);
        expect([status, answered.get('etag')]).toEqual([409, null]);
        expect(body.codigo).toBe('guia_cancelada');
      }
    },
  );

  test('are not printed with others, and each is named by its place', async ({ demo, newGuide }) => {
    const numbers = [await newGuide(), await newGuide(), await newGuide()].map(({ SEND_GUIA }) => SEND_GUIA);
    for (const i of [0, 2]) await cancel(demo, numbers[i] ?? '');
    const { status, body } = await demo.post('/api/guias/etiquetas', { Guias: numbers, Tipo: 'carta' });
    const problem = { codigo: 'guia_cancelada', message: body.message };
    expect([status, body.codigo]).toEqual([409, 'guia_cancelada']);
    expect(body.details).toEqual([0, 2].map((indice) => ({ indice, ...problem })));
  });
});
