import { describe, expect } from 'vitest';
import { UserStore } from '#shared/accounts/user-store.ts';
import type { RoomData } from '#shared/room-data.ts';
import { ROOMS_DATA } from '#shared/rooms.ts';
import { Client, type CreatedGuide, minimalGuide } from '#test/fixtures/client.ts';
import { userMaker } from '#test/fixtures/new-user.ts';
import { test as services } from '#test/fixtures/services.ts';
import { storedOf } from '#test/fixtures/stored.ts';

const DAY_MS = 24 * 3_600_000;
const PASSWORD = 'una contrasena de prueba 1';
type Event = { Tipo: string; Ocurrido: string; Paquete?: number; Anulado: boolean };

const test = services
  .extend('tester', { scope: 'file' }, ({ api }) => Client.login(api.url, 'prueba'))
  /** Creates a guide of the test account. */
  .extend('guide', ({ tester }) => async (Paquetes = 1) => {
    const [created] = await tester.created({
      ...minimalGuide(),
      Producto: { Contenido: 'Libros', Paquetes },
    });
    return created as CreatedGuide & { Prueba?: true };
  })
  /** Simulates, and returns the guide's events by `Ocurrido`. */
  .extend('simulate', ({ tester }) => async (number: string, body: object) => {
    const answer = await tester.post(`/api/guias/${number}/simular`, body);
    expect([answer.status, answer.body.details]).toEqual([200, undefined]);
    return answer.body.data as Event[];
  });
/** The rooms with collections in which what a test account stores expires. */
const EXPIRING = ROOMS_DATA.flatMap(({ name: room, collections: all }: RoomData) => {
  const collections = all === 'none' ? [] : all.filter(({ testAccounts }) => testAccounts === 'expire');
  return collections.length > 0 ? [{ room, collections }] : [];
});
const typesOf = (events: Event[]) => events.map(({ Tipo, Anulado }) => (Anulado ? `(${Tipo})` : Tipo));

describe('a test account', () => {
  test('says so of its token, its guides and no other', async ({ tester, demo, guide }) => {
    expect((await tester.get('/api/auth/validate')).body.data).toMatchObject({
      cuenta: 'pruebas',
      prueba: true,
    });
    expect((await demo.get('/api/auth/validate')).body.data).not.toHaveProperty('prueba');
    const { SEND_GUIA, Prueba } = await guide();
    expect([SEND_GUIA, Prueba]).toEqual([expect.stringMatching(/^0[0-9]{11}$/), true]);
    const read = await tester.get(`/api/guias/${SEND_GUIA}`);
    const listed = await tester.get('/api/guias?limite=1');
    expect([read.body.data, listed.body.data]).toMatchObject([{ Prueba: true }, [{ Prueba: true }]]);
    const [real] = await demo.created(minimalGuide());
    expect(real).not.toHaveProperty('Prueba');
    expect(real?.SEND_GUIA).toMatch(/^[1-9]/);
  });

  test('has a list that goes on, page by page', async ({ tester, guide }) => {
    const numbers = [(await guide()).SEND_GUIA, (await guide()).SEND_GUIA];
    const first = (await tester.get('/api/guias?limite=1')).body as { siguiente: string };
    const next = await tester.get(`/api/guias?limite=1&cursor=${first.siguiente}`);
    expect([next.status, numbers]).toEqual([200, expect.arrayContaining([expect.stringMatching(/^0/)])]);
    expect(next.body.data).toHaveLength(1);
  });

  test('has guides and events that MongoDB deletes after 30 days, but for its last event', async ({
    guide,
    simulate,
    stores,
  }) => {
    const { SEND_GUIA } = await guide();
    await simulate(SEND_GUIA, { Escenario: 'entrega' });
    await simulate(SEND_GUIA, { Eventos: [{ Tipo: 'Anulacion', Anula: 'nada' }] });
    const stored = await stores.mongo
      .collection<{ _id: string; createdUtc: Date; expiresAt: Date }>('guides')
      .findOne({ _id: SEND_GUIA });
    const expiresAt = new Date((stored?.createdUtc.getTime() ?? 0) + 30 * DAY_MS);
    expect(stored?.expiresAt).toEqual(expiresAt);
    const entries = await stores.mongo
      .collection('events')
      .find({ 'told.Guia': SEND_GUIA })
      .sort({ _id: 1 })
      .toArray();
    expect(entries.map((entry) => entry.expiresAt)).toEqual([...Array(4).fill(expiresAt), undefined]);
    expect(entries.at(-1)?.keptUntil).toEqual(expiresAt);
    for (const name of ['guides', 'events']) {
      const indexes = await stores.mongo.collection(name).indexes();
      expect(indexes).toContainEqual(
        expect.objectContaining({ key: { expiresAt: 1 }, expireAfterSeconds: 0 }),
      );
    }
  });

  test.for(EXPIRING)(
    'stores nothing in $room that stays',
    async ({ room, collections }, { stores, tester }) => {
      await (await storedOf(room)).byClient?.(tester, stores.mongo);
      for (const { name, schema } of collections) {
        const own = schema.path('account') ? { account: 'pruebas' } : {};
        const documents = await stores.mongo.collection(name).find(own).toArray();
        expect(
          documents.length,
          `byClient of test/api/${room}/stored.ts must store one in ${name}`,
        ).toBeGreaterThan(0);
        // An account's last event stays for its number; a creation goes once its guides are stored.
        const staying = documents.filter(
          ({ expiresAt, keptUntil, openSince }) => !(expiresAt ?? keptUntil ?? openSince),
        );
        expect(
          staying.map(({ _id }) => `${name}: ${_id}`),
          'without `expiresAt`',
        ).toEqual([]);
      }
    },
  );

  test('has a feed without a hole when events are gone', async ({ tester, guide, simulate, stores }) => {
    const { SEND_GUIA: old } = await guide();
    await simulate(old, { Escenario: 'entrega' });
    const { SEND_GUIA: kept } = await guide();
    await simulate(kept, { Escenario: 'extravio' });
    const feed = async (cursor = '') =>
      (await tester.get(`/api/eventos?limite=500${cursor && `&cursor=${cursor}`}`)).body as {
        data: { SEND_GUIA: string; Prueba: true }[];
        siguiente: string;
      };
    await expect
      .poll(async () => (await feed()).data.filter(({ SEND_GUIA }) => SEND_GUIA === kept).length)
      .toBe(3);
    const whole = await feed();
    expect(new Set(whole.data.map(({ Prueba }) => Prueba))).toEqual(new Set([true]));
    await stores.mongo.collection('events').deleteMany({ 'told.Guia': old });
    const after = await feed();
    expect(after.data).toEqual(whole.data.filter(({ SEND_GUIA }) => SEND_GUIA !== old));
    expect(after.siguiente).toBe(whole.siguiente);
    expect((await feed(whole.siguiente)).data).toEqual([]);
  });

  test('cannot play with what is real, nor staff with what is not', async ({
    api,
    demo,
    tester,
    number,
    guide,
  }) => {
    expect(await demo.post(`/api/guias/${number}/simular`, { Escenario: 'entrega' })).toMatchObject({
      status: 403,
      body: { codigo: 'solo_pruebas' },
    });
    expect((await tester.post(`/api/guias/${number}/simular`, { Escenario: 'entrega' })).status).toBe(404);
    const staff = await Client.login(api.url, 'escaner');
    const { SEND_GUIA: Guia } = await guide();
    const Ocurrido = new Date().toISOString();
    const { body } = await staff.post('/api/eventos', { Eventos: [{ Guia, Tipo: 'Recolectado', Ocurrido }] });
    expect(body.data).toMatchObject([{ resultado: 'rechazado', campo: 'Guia', codigo: 'guia_de_prueba' }]);
  });

  test('plays with no guide of another one, whatever its user may read', async ({ api, guide, stores }) => {
    const users = new UserStore(stores.mongo);
    const newUser = await userMaker(users, PASSWORD);
    await newUser('ensayo', { test: true, permissions: ['guias.create', 'guias.read', 'guias.read.all'] });
    const other = await Client.login(api.url, 'ensayo', PASSWORD);
    const { SEND_GUIA } = await guide();
    expect((await other.get(`/api/guias/${SEND_GUIA}`)).status).toBe(200);
    const played = await other.post(`/api/guias/${SEND_GUIA}/simular`, { Escenario: 'entrega' });
    expect([played.status, played.body.codigo]).toEqual([404, 'guia_no_encontrada']);
  });

  test('plays with no real guide that an account of its name once had', async ({ demo, stores, tester }) => {
    const [real] = await demo.created(minimalGuide());
    const _id = real?.SEND_GUIA as never;
    await stores.mongo.collection('guides').updateOne({ _id }, { $set: { account: 'pruebas' } });
    const played = await tester.post(`/api/guias/${_id}/simular`, { Escenario: 'entrega' });
    expect([played.status, played.body.codigo]).toEqual([404, 'guia_no_encontrada']);
  });

  test('has a tracking page that says so', async ({ api, guide }) => {
    const { SEND_GUIA } = await guide();
    const page = await (await fetch(`${api.url}/rastreo/${SEND_GUIA}`)).text();
    expect(page).toContain('Guía de prueba: nada de esto se envía.');
  });
});

describe('POST /api/guias/{guia}/simular', () => {
  test.for([
    ['entrega', ['Recolectado', 'EnTransito', 'EnReparto', 'Entregado'], 'Entregado'],
    ['sucursal', ['Recolectado', 'EnTransito', 'EnSucursal', 'Entregado'], 'Entregado'],
    [
      'ausente',
      ['Recolectado', 'EnTransito', 'EnReparto', 'Incidencia', 'EnReparto', 'Entregado'],
      'Entregado',
    ],
    ['devolucion', ['Recolectado', 'EnTransito', 'EnReparto', 'Incidencia', 'Devuelto'], 'Devuelto'],
    ['extravio', ['Recolectado', 'EnTransito', 'Incidencia'], 'Incidencia'],
    [
      'correccion',
      ['Recolectado', 'EnTransito', 'EnReparto', '(Entregado)', 'Anulacion', 'Entregado'],
      'Entregado',
    ],
    ['desorden', ['Recolectado', 'EnTransito', 'EnReparto', 'Entregado'], 'Entregado'],
    ['repeticion', ['Recolectado', 'EnTransito', 'EnReparto', 'Entregado'], 'Entregado'],
  ] as const)('plays %s', async ([Escenario, types, status], { tester, guide, simulate }) => {
    const { SEND_GUIA } = await guide();
    const events = await simulate(SEND_GUIA, { Escenario });
    expect(typesOf(events)).toEqual(types);
    const moments = events.map(({ Ocurrido }) => Date.parse(Ocurrido));
    expect(moments.slice(1).map((moment, i) => moment - (moments[i] ?? 0))).toEqual(
      types.slice(1).map(() => 1_000),
    );
    expect((await tester.get(`/api/guias/${SEND_GUIA}`)).body.data).toMatchObject({ SEND_ESTATUS: status });
  });

  test('plays several packages, each by itself', async ({ tester, guide, simulate }) => {
    const { SEND_GUIA } = await guide(2);
    const events = await simulate(SEND_GUIA, { Escenario: 'varios_paquetes', Hasta: 'Entregado' });
    expect(events.map(({ Tipo, Paquete }) => [Tipo, Paquete])).toEqual([
      ...[
        ['Recolectado', undefined],
        ['EnTransito', undefined],
      ],
      ...[
        ['EnReparto', 1],
        ['EnReparto', 2],
        ['Entregado', 1],
      ],
    ]);
    expect((await tester.get(`/api/guias/${SEND_GUIA}`)).body.data).toMatchObject({
      SEND_ESTATUS: 'EnReparto',
    });
  });

  test('stops at an event, and goes on with events of the own', async ({ tester, guide, simulate }) => {
    const { SEND_GUIA } = await guide();
    await simulate(SEND_GUIA, { Escenario: 'entrega', Hasta: 'EnTransito' });
    const events = await simulate(SEND_GUIA, { Eventos: [{ Tipo: 'Incidencia', Motivo: 'danado' }] });
    expect(typesOf(events)).toEqual(['Recolectado', 'EnTransito', 'Incidencia']);
    expect((await tester.get(`/api/guias/${SEND_GUIA}`)).body.data).toMatchObject({
      SEND_ESTATUS: 'Incidencia',
    });
  });

  test('goes on at once after an event of a clock that was ahead', async ({ guide, simulate, stores }) => {
    const { SEND_GUIA } = await guide();
    await simulate(SEND_GUIA, { Eventos: [{ Tipo: 'Recolectado' }] });
    const Ocurrido = new Date(Date.now() + 5 * 60_000).toISOString();
    await stores.mongo
      .collection('events')
      .updateOne({ 'told.Guia': SEND_GUIA }, { $set: { 'told.Ocurrido': Ocurrido } });
    const [, next] = await simulate(SEND_GUIA, { Eventos: [{ Tipo: 'EnTransito' }] });
    expect(next).toMatchObject({ Tipo: 'EnTransito' });
  });

  test('keeps the order of events that come at once, without going into the future', async ({
    guide,
    simulate,
  }) => {
    const { SEND_GUIA } = await guide();
    const Eventos = Array.from({ length: 500 }, (_, i) => ({ Tipo: i % 2 ? 'EnTransito' : 'EnReparto' }));
    await simulate(SEND_GUIA, { Eventos });
    await simulate(SEND_GUIA, { Eventos });
    const events = await simulate(SEND_GUIA, { Eventos });
    expect(typesOf(events)).toEqual([...Eventos, ...Eventos, ...Eventos].map(({ Tipo }) => Tipo));
    const moments = events.map(({ Ocurrido }) => Date.parse(Ocurrido));
    expect(moments.filter((moment, i) => moment <= (moments[i - 1] ?? 0))).toEqual([]);
    expect(moments.at(-1)).toBeLessThanOrEqual(Date.now());
  });

  test.for([
    [{}, 'Escenario', 'campo_requerido'],
    [{ Escenario: 'entrega', Eventos: [{ Tipo: 'Recolectado' }] }, 'Escenario', 'campo_formato'],
    [
      { Escenario: 'feliz' },
      'Escenario',
      'campo_formato',
      'entrega, sucursal, ausente, devolucion, extravio',
    ],
    [
      { Escenario: 'extravio', Hasta: 'Entregado' },
      'Hasta',
      'campo_formato',
      'Recolectado, EnTransito, Incidencia',
    ],
    [{ Escenario: 'varios_paquetes' }, 'Escenario', 'campo_formato', 'Producto.Paquetes'],
    [{ Escenarios: 'entrega' }, 'Escenarios', 'campo_desconocido', "'Escenario'?"],
    [{ Eventos: [{ Tipo: 'Incidencia' }] }, 'Motivo', 'campo_requerido'],
    [{ Eventos: [{ Tipo: 'EnTransito', Ocurrido: 'ayer' }] }, 'Ocurrido', 'campo_desconocido'],
  ] as const)('refuses %o', async ([body, campo, codigo, names = campo], { tester, guide }) => {
    const { SEND_GUIA } = await guide();
    const answer = await tester.post(`/api/guias/${SEND_GUIA}/simular`, body);
    expect([answer.status, answer.body.codigo]).toEqual([400, codigo]);
    expect(answer.body.details).toMatchObject([{ campo, message: expect.stringContaining(names) }]);
  });

  test('refuses a cancelled guide, and a guide of nobody', async ({ tester, guide }) => {
    const { SEND_GUIA } = await guide();
    await tester.post(`/api/guias/${SEND_GUIA}/cancelar`, '');
    const cancelled = await tester.post(`/api/guias/${SEND_GUIA}/simular`, { Escenario: 'entrega' });
    expect([cancelled.status, cancelled.body.codigo]).toEqual([409, 'guia_cancelada']);
    expect((await tester.post('/api/guias/000000000000/simular', { Escenario: 'entrega' })).status).toBe(404);
  });
});
