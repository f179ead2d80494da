import { describe, expect } from 'vitest';
import type { LogEntry } from '#shared/tracking/event-model.ts';
import { Client } from '#test/fixtures/client.ts';
import { event, test as eventTest } from '#test/fixtures/events.ts';
import { recordCommands } from '#test/security/privilege/mongo-commands.ts';

const PERSONAL = { Recibe: 'Rosa Receptora', Nota: 'La vecina del 4' };

/** `settle` waits until all that is registered is in the feed. */
const test = eventTest.extend('settle', { scope: 'file' }, ({ stores }) => async () => {
  const events = stores.mongo.collection<LogEntry>('events');
  await expect.poll(() => events.countDocuments({ openSince: { $exists: true } })).toBe(0);
});

describe('GET /api/guias/{guia}/eventos', () => {
  test('shows all by time, and notes to who registers', async ({ demo, newGuide, register, scanner }) => {
    const guide = await newGuide();
    const base = Date.now();
    const second = (s: number) => new Date(base + 1_000 * s).toISOString();
    await register(event(guide, 'Entregado', { Id: 'b', Ocurrido: second(2), ...PERSONAL, Paquete: 1 }));
    await register(
      event(guide, 'Incidencia', { Id: 'a', Ocurrido: second(1), Sucursal: 'MTY01', Motivo: 'retenido' }),
    );
    const { status, body } = await demo.get(`/api/guias/${guide}/eventos`);
    expect([status, body.message]).toEqual([200, 'Eventos: 2']);
    const common = { Registrado: expect.any(String), Anulado: false };
    const moment = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(body.data).toEqual([
      { Id: 'a', Tipo: 'Incidencia', Ocurrido: moment, Sucursal: 'MTY01', Motivo: 'retenido', ...common },
      { Id: 'b', Tipo: 'Entregado', Ocurrido: moment, Paquete: 1, Recibe: PERSONAL.Recibe, ...common },
    ]);
    const staff = await scanner.get(`/api/guias/${guide}/eventos`);
    expect(staff.body.data).toMatchObject([{}, PERSONAL]);
  });

  test('is for who sees the guide or registers, recorded', async ({ api, newGuide, scanner, stores }) => {
    const guide = await newGuide();
    const path = `/api/guias/${guide}/eventos`;
    const other = await Client.login(api.url, 'otro');
    expect((await other.get(path)).body.codigo).toBe('guia_no_encontrada');
    expect((await scanner.get(path)).status).toBe(200);
    expect((await scanner.get(`/api/guias/${guide}`)).status).toBe(404);
    const trail = stores.mongo.collection('audit');
    await expect
      .poll(() => trail.findOne({ 'details.guide': guide }))
      .toMatchObject({ action: 'guide.read-other', actor: 'escaner', subject: 'demo' });
  });
});

describe('GET /api/eventos', () => {
  test('shows events and cancellations, each once', async ({ api, demo, newGuide, register, settle }) => {
    const [guide, cancelled] = [await newGuide({ Referencia: 'PEDIDO-1' }), await newGuide()];
    const start = (await demo.get('/api/eventos?limite=500')).body as unknown as { siguiente: string };
    await settle();
    const before = (await demo.get(`/api/eventos?limite=500&cursor=${start.siguiente}`)).body as never;
    const told = [
      event(guide, 'Recolectado', { Id: '1' }),
      event(guide, 'Entregado', { Id: '2', ...PERSONAL }),
    ];
    await register(...told);
    await demo.post(`/api/guias/${cancelled}/cancelar`, '');
    const cursor = (before as { siguiente: string }).siguiente;
    await settle();
    const first = await demo.get(`/api/eventos?limite=2&cursor=${cursor}`);
    const page = first.body as unknown as { data: object[]; siguiente: string };
    const moment = expect.any(String);
    expect(page.data).toEqual([
      {
        Id: '1',
        SEND_GUIA: guide,
        Referencia: 'PEDIDO-1',
        Tipo: 'Recolectado',
        SEND_ESTATUS: 'Recolectado',
        Version: 1,
        Ocurrido: moment,
        Registrado: moment,
      },
      {
        Id: '2',
        SEND_GUIA: guide,
        Referencia: 'PEDIDO-1',
        Tipo: 'Entregado',
        SEND_ESTATUS: 'Entregado',
        Version: 2,
        Ocurrido: moment,
        Registrado: moment,
      },
    ]);
    const last = (await demo.get(`/api/eventos?cursor=${page.siguiente}`)).body as unknown as typeof page;
    expect(last.data).toMatchObject([
      { SEND_GUIA: cancelled, Tipo: 'Cancelacion', SEND_ESTATUS: 'Cancelado', Version: 1 },
    ]);
    expect((await demo.get(`/api/eventos?cursor=${last.siguiente}`)).body).toMatchObject({
      data: [],
      siguiente: last.siguiente,
    });
    const other = await Client.login(api.url, 'otro');
    expect((await other.get('/api/eventos')).body.data).toEqual([]);
  });

  test('refuses a cursor after the last event', async ({ demo, newGuide, register, settle }) => {
    await register(event(await newGuide(), 'Recolectado'));
    await settle();
    const end = (await demo.get('/api/eventos?limite=500')).body as unknown as { siguiente: string };
    expect((await demo.get(`/api/eventos?cursor=${end.siguiente}`)).status).toBe(200);
    const number = Number(Buffer.from(end.siguiente, 'base64url').toString().slice(1));
    const beyond = Buffer.from(`e${number + 1}`).toString('base64url');
    const { status, body } = await demo.get(`/api/eventos?cursor=${beyond}`);
    const refusal = { codigo: 'parametro_invalido', message: expect.stringContaining('ultimo evento') };
    expect([status, body]).toMatchObject([400, { ...refusal, details: [{ campo: 'cursor', ...refusal }] }]);
    await register(event(await newGuide(), 'Recolectado'));
    expect((await demo.get(`/api/eventos?cursor=${beyond}`)).body).toMatchObject({
      data: [],
      siguiente: beyond,
    });
  });

  test('is read from what a majority of the servers has', async ({ newGuide, startApi, stores }) => {
    const { uri, commands, close } = await recordCommands(stores.mongoUri);
    const { url, server } = await startApi({ MONGODB_URI: uri });
    const [reader, scanner] = [await Client.login(url), await Client.login(url, 'escaner')];
    await scanner.post('/api/eventos', { Eventos: [event(await newGuide(), 'Recolectado')] });
    await reader.get('/api/eventos');
    const reads = commands.filter(
      ({ find, filter }) => find === 'events' && !('openSince' in (filter as object)),
    );
    expect(reads.map(({ sort, filter }) => [sort, Object.keys(filter as object)])).toEqual([
      [{ _id: -1 }, ['_id']], // the last one
      [{ 'told.Guia': 1, _id: 1 }, ['told.Guia']], // all of the guide
      [{ _id: 1 }, ['_id']], // the feed
    ]);
    for (const { readConcern } of reads) expect(readConcern).toEqual({ level: 'majority' });
    await server.close();
    await close();
  });
});
