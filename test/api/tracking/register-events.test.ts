import { randomUUID } from 'node:crypto';
import { describe, expect, onTestFinished, vi } from 'vitest';
import { type GuideState, GuideStore } from '#services/api/guides/guide-store.ts';
import { tracking } from '#services/api/tracking/room.ts';
import { webhooks } from '#services/api/webhooks/room.ts';
import type { GuideDocument } from '#shared/guides/guide-model.ts';
import { EventLog } from '#shared/tracking/event-log.ts';
import type { LogEntry } from '#shared/tracking/event-model.ts';
import { Client, type CreatedGuide, minimalGuide } from '#test/fixtures/client.ts';
import { event, resultsOf, test, wordsOf } from '#test/fixtures/events.ts';
import { finishCut } from '#test/fixtures/finish-cut.ts';
import { type Fate, startMongoProxy } from '#test/fixtures/mongo-proxy.ts';
import { passTime } from '#test/fixtures/pass-time.ts';

const at = (seconds: number) => new Date(Date.now() + 1_000 * seconds).toISOString();

describe('POST /api/eventos', () => {
  test('registers each event by itself, with its state', async ({ demo, newGuide, register, status }) => {
    const guide = await newGuide();
    const answer = await register(
      event(guide, 'Recolectado', { Id: 'a', Sucursal: 'mex01' }),
      event('390458235870', 'EnTransito'),
      event(guide, 'EnTransito', { Ocurrido: at(1), Sucursal: 'MTY01', Nota: 'Camion 7' }),
    );
    expect([answer.status, answer.body.message]).toEqual([200, 'Eventos registrados: 2']);
    expect(resultsOf(answer)).toEqual([
      { indice: 0, Id: 'a', resultado: 'registrado' },
      {
        indice: 1,
        resultado: 'rechazado',
        campo: 'Guia',
        codigo: 'guia_no_encontrada',
        message: expect.any(String),
      },
      { indice: 2, Id: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/), resultado: 'registrado' },
    ]);
    expect(await status(guide)).toBe('EnTransito');
    const listed = await demo.get('/api/guias?estatus=EnTransito');
    expect((listed.body.data as CreatedGuide[]).map(({ SEND_GUIA }) => SEND_GUIA)).toEqual([guide]);
  });

  /** What each code says of a field stands in the OpenAPI document. */
  test.for<[campo: string, change: object, codigo: string]>([
    ['Guia', { Guia: undefined }, 'campo_requerido'],
    ['Guia', { Guia: 'x' }, 'campo_formato'],
    ['Tipo', { Tipo: 'entregado' }, 'campo_formato'],
    ['Tipo', { Tipo: 7 }, 'campo_tipo'],
    ['Ocurrido', { Ocurrido: '2026-11-21T10:00:00' }, 'campo_formato'], // without a zone
    ['Ocurrido', { Ocurrido: at(3_600) }, 'campo_formato'],
    ['Ocurrido', { Ocurrido: '2020-01-01T00:00:00Z' }, 'campo_formato'],
    ['Id', { Id: 'con espacio' }, 'campo_formato'],
    ['Paquete', { Paquete: 2 }, 'campo_formato'],
    ['Sucursal', { Sucursal: '?' }, 'campo_formato'],
    ['Motivo', { Tipo: 'Incidencia' }, 'campo_requerido'],
    ['Motivo', { Motivo: 'otro' }, 'campo_formato'],
    ['Motivo', { Tipo: 'Devuelto', Motivo: 'lluvia' }, 'campo_formato'],
    ['Anula', { Tipo: 'Anulacion' }, 'campo_requerido'],
    ['Recibe', { Recibe: 'Luis' }, 'campo_formato'],
    ['Recibe', { Tipo: 'Entregado', Recibe: 'x'.repeat(61) }, 'campo_largo'],
    ['Notas', { Notas: 'x' }, 'campo_desconocido'],
  ])('refuses one event for its %s: %j', async ([campo, change, codigo], { newGuide, register }) => {
    const bad = { ...event(await newGuide(), 'EnTransito'), ...change };
    const results = resultsOf(await register(bad, event(await newGuide(), 'EnTransito')));
    const refused = {
      indice: 0,
      resultado: 'rechazado',
      campo,
      codigo,
      message: expect.stringContaining(campo),
    };
    expect(results).toMatchObject([refused, { resultado: 'registrado' }]);
  });

  test('takes sloppy forms, and the guide’s own second', async ({ newGuide, register, scanner }) => {
    const guide = await newGuide();
    const told = {
      Guia: ` ${guide} `,
      Tipo: 'Entregado',
      Ocurrido: `${at(0).slice(0, 19)}Z`,
      Sucursal: ' mty01 ',
      Motivo: null,
      Nota: '  ',
      Recibe: 'Luis\nPérez',
    };
    expect(wordsOf(await register(told))).toEqual(['registrado']);
    const { body } = await scanner.get(`/api/guias/${guide}/eventos`);
    expect(body.data).toMatchObject([{ Sucursal: 'MTY01', Recibe: 'Luis Pérez', Anulado: false }]);
  });

  test('knows an event again, and refuses another with its Id', async ({ newGuide, register, scanner }) => {
    const guide = await newGuide();
    const [one, other] = [event(guide, 'EnReparto', { Id: 'x' }), event(guide, 'EnTransito')];
    expect(wordsOf(await register(one, other, one))).toEqual(['registrado', 'registrado', 'repetido']);
    // The same moment in another zone.
    const moment = new Date(Date.parse(one.Ocurrido) - 6 * 3_600_000).toISOString();
    const again = await register({ ...one, Ocurrido: moment.replace('Z', '-06:00') }, other, {
      ...one,
      Sucursal: 'MTY01',
    });
    expect(wordsOf(again)).toEqual(['repetido', 'repetido', 'evento_conflicto']);
    expect(again.body.message).toBe('Eventos registrados: 0');
    expect((await scanner.get(`/api/guias/${guide}/eventos`)).body.data).toHaveLength(2);
  });

  test('brings a delivered guide back by an annulment', async ({ newGuide, register, status, demo }) => {
    const began = Date.now();
    const second = (seconds: number) => new Date(began + 1_000 * seconds).toISOString();
    const guide = await newGuide();
    await register(event(guide, 'Anulacion', { Anula: 'mal', Ocurrido: second(2) }));
    await register(event(guide, 'EnReparto', { Ocurrido: second(0) }));
    await register(event(guide, 'Entregado', { Id: 'mal', Ocurrido: second(1) }));
    expect(await status(guide)).toBe('EnReparto');
    await register(
      event(guide, 'Entregado', { Ocurrido: second(1.5) }),
      event(guide, 'EnTransito', { Ocurrido: second(3) }),
    );
    expect(await status(guide)).toBe('Entregado');
    const { body } = await demo.get(`/api/guias/${guide}/eventos`);
    expect(
      (body.data as { Tipo: string; Anulado: boolean }[]).map(({ Tipo, Anulado }) => [Tipo, Anulado]),
    ).toEqual([
      ['EnReparto', false],
      ['Entregado', true],
      ['Entregado', false],
      ['Anulacion', false],
      ['EnTransito', false],
    ]);
  });

  test('tells packages apart that are scanned at one moment', async ({ newGuide, register }) => {
    const guide = await newGuide({ Producto: { ...minimalGuide().Producto, Paquetes: 2 } });
    const scan = event(guide, 'EnTransito', { Sucursal: 'MTY01' });
    const answer = await register({ ...scan, Paquete: 1 }, { ...scan, Paquete: 2 }, { ...scan, Paquete: 1 });
    expect(wordsOf(answer)).toEqual(['registrado', 'registrado', 'repetido']);
  });

  test('takes an event ten minutes before the guide, since clocks differ', async ({ newGuide, register }) => {
    const guide = await newGuide();
    const answer = await register(
      event(guide, 'Recolectado', { Ocurrido: at(-590) }),
      event(guide, 'EnTransito', { Ocurrido: at(-610) }),
    );
    expect(wordsOf(answer)).toEqual(['registrado', 'campo_formato']);
  });

  test('by sixteen scanners at once is stored once', async ({ api, newGuide, startApi, status, stores }) => {
    const other = await startApi();
    const scanners = await Promise.all([api, other].map(({ url }) => Client.login(url, 'escaner')));
    const guide = await newGuide();
    const moment = Date.now();
    const events = Array.from({ length: 64 }, (_, i) =>
      event(guide, i === 63 ? 'EnReparto' : 'EnTransito', {
        Id: `e${i}`,
        Ocurrido: new Date(moment + i).toISOString(),
      }),
    );
    const answers = await Promise.all(
      // Each is told to both.
      events.flatMap((one) => scanners.map((scanner) => scanner.post('/api/eventos', { Eventos: [one] }))),
    );
    const words = answers.flatMap(wordsOf);
    expect(words.filter((word) => word === 'registrado')).toHaveLength(64);
    expect(words.filter((word) => word === 'repetido')).toHaveLength(64);
    expect(await status(guide)).toBe('EnReparto');
    const entries = await new EventLog(stores.mongo).ofGuides([guide]);
    expect(entries.map(({ version }) => version).toSorted((a, b) => a - b)).toEqual(
      events.map((_, i) => i + 1),
    );
  });
});

describe('a cancellation', () => {
  const cancel = (client: Client, number: string) => client.post(`/api/guias/${number}/cancelar`, '');

  test('has an Id of its guide that no event can have', async ({ demo, newGuide, register, scanner }) => {
    const [one, other] = [await newGuide(), await newGuide()];
    for (const guide of [one, other]) expect((await cancel(demo, guide)).status).toBe(200);
    const { body } = await scanner.get(`/api/guias/${one}/eventos`);
    expect(body.data).toMatchObject([{ Id: `cancelacion:${one}`, Tipo: 'Cancelacion' }]);
    const refused = await register(event(one, 'Recolectado', { Id: `cancelacion:${one}` }));
    expect(wordsOf(refused)).toEqual(['campo_formato']);
  });

  test('of 1.3.0, whose Id was “cancelacion”, holds', async ({ demo, newGuide, register, stores }) => {
    const guide = await newGuide();
    const told = { Guia: guide, Id: 'cancelacion', Tipo: 'Cancelacion', Ocurrido: at(0) } as const;
    const entries = [{ told, status: 'Cancelado', version: 1, username: 'demo2' } as const];
    const append = { id: randomUUID(), open: [] };
    const decide = async () => ({ entries, result: undefined });
    await new EventLog(stores.mongo).append('demo', append, decide, AbortSignal.timeout(10_000));
    const again = await cancel(demo, guide);
    expect([again.status, (again.body.data as CreatedGuide).SEND_ESTATUS]).toEqual([200, 'Cancelado']);
    expect(wordsOf(await register(event(guide, 'Recolectado', { Id: 'x' })))).toEqual(['guia_cancelada']);
    const stored = await new GuideStore(stores.mongo).find(guide);
    expect([stored?.status, stored?.events, stored?.cancelled?.by]).toEqual(['Cancelado', 1, 'demo2']);
  });

  test('and a first event at once: one of them, never both', async ({ demo, newGuide, register, status }) => {
    for (let i = 0; i < 10; i++) {
      const guide = await newGuide();
      const [cancelled, registered] = await Promise.all([
        cancel(demo, guide),
        register(event(guide, 'Recolectado')),
      ]);
      const [word] = wordsOf(registered);
      expect(['200 guia_cancelada Cancelado', '409 registrado Recolectado']).toContain(
        `${cancelled.status} ${word} ${await status(guide)}`,
      );
    }
  });
});

describe('where a store or a process fails', () => {
  test.for<[Fate]>([['answer lost'], ['never done']])(
    'in the middle, the events of a request are registered once: %s',
    async ([fate], { newGuide, startApi, stores }) => {
      const fates: Fate[] = [];
      const proxy = await startMongoProxy(
        stores.mongoUri,
        ({ insert }) => (insert === 'events' && fates.shift()) || 'done',
      );
      const { url } = await startApi({ MONGODB_URI: proxy.uri });
      const scanner = await Client.login(url, 'escaner');
      const guide = await newGuide();
      fates.push(fate);
      const answer = await scanner.post('/api/eventos', {
        Eventos: [event(guide, 'Recolectado'), event(guide, 'EnTransito')],
      });
      expect(wordsOf(answer)).toEqual(['registrado', 'registrado']);
      expect((await scanner.get(`/api/guias/${guide}/eventos`)).body.data).toHaveLength(2);
      await proxy.close();
    },
  );

  test('and nobody knows, the answer says so', async ({ newGuide, scanner: healthy, startApi, stores }) => {
    const lost = Promise.withResolvers<void>();
    const proxy = await startMongoProxy(stores.mongoUri, ({ insert }) => {
      if (insert !== 'events') return 'done';
      lost.resolve();
      return 'server lost';
    });
    const { url } = await startApi({ MONGODB_URI: proxy.uri });
    const scanner = await Client.login(url, 'escaner');
    const Eventos = [event(await newGuide(), 'Recolectado')];
    const answer = scanner.post('/api/eventos', { Eventos });
    await lost.promise;
    passTime(10_000); // in which events are stored
    const { status, headers, body } = await answer;
    expect([status, headers.get('retry-after'), body.codigo]).toEqual([503, '2', 'resultado_desconocido']);
    expect(wordsOf(await healthy.post('/api/eventos', { Eventos }))).toEqual(['repetido']);
  });

  test('after the append a sweep states the guide', async ({
    api: { contextOf },
    newGuide,
    status,
    stores,
  }) => {
    const log = new EventLog(stores.mongo);
    const events = stores.mongo.collection<Partial<LogEntry> & { _id: string }>('events');
    // This one is older, and nobody can finish it.
    await events.insertOne({ _id: 'otro 000000000001', append: 'x', openSince: new Date(0) });
    const [guide, cancelled] = [await newGuide(), await newGuide()];
    const told = (Guia: string, Tipo: 'EnReparto' | 'Cancelacion') => ({
      Guia,
      Id: Tipo,
      Tipo,
      Ocurrido: at(0),
    });
    const entries = [
      { told: told(guide, 'EnReparto'), status: 'EnReparto', version: 1, username: 'escaner' } as const,
      { told: told(cancelled, 'Cancelacion'), status: 'Cancelado', version: 1, username: 'demo' } as const,
    ];
    const append = { id: randomUUID(), open: [] };
    const decide = async () => ({ entries, result: undefined });
    await log.append('demo', append, decide, AbortSignal.timeout(10_000));
    const wake = vi.spyOn(contextOf(webhooks).webhooks, 'wake');
    await finishCut(contextOf(tracking).events);
    expect([await status(guide), await status(cancelled)]).toEqual(['EnReparto', 'Cancelado']);
    expect(await events.countDocuments({ append: append.id, openSince: { $exists: true } })).toBe(0);
    expect(wake).toHaveBeenCalledWith('demo', expect.any(Number));
    wake.mockRestore();
    await events.deleteOne({ _id: 'otro 000000000001' });
  });

  test('the states that no try has stored are left for the next sweep', async ({
    api: { contextOf },
    newGuide,
    scanner,
    status,
    stores,
  }) => {
    const guide = await newGuide();
    const states = vi.spyOn(GuideStore.prototype, 'storeStates').mockRejectedValue(new Error('refused'));
    onTestFinished(() => states.mockRestore());
    expect((await scanner.post('/api/eventos', { Eventos: [event(guide, 'EnReparto')] })).status).toBe(500);
    await finishCut(contextOf(tracking).events);
    const open = { 'told.Guia': guide, openSince: { $exists: true } };
    expect(await stores.mongo.collection('events').countDocuments(open)).toBe(1);
    states.mockRestore();
    await finishCut(contextOf(tracking).events);
    expect(await status(guide)).toBe('EnReparto');
    expect(await stores.mongo.collection('events').countDocuments(open)).toBe(0);
  });

  test('a process that is slow puts no guide back', async ({ newGuide, status, stores }) => {
    const guides = new GuideStore(stores.mongo);
    const guide = await newGuide();
    const store = (state: GuideState) => guides.storeStates(new Map([[guide, state]]));
    expect(await store({ status: 'EnReparto', events: 3 })).toBe(true);
    expect(await store({ status: 'Recolectado', events: 2 })).toBe(false);
    expect(await status(guide)).toBe('EnReparto');
  });
});

describe('while a guide is moved to another account', () => {
  const logOf = (entries: LogEntry[]) => entries.map(({ _id, told }) => [_id.split(' ')[0], told.Id]);

  test("an event that comes meanwhile is the new account's", async ({ newGuide, startApi, stores }) => {
    const guide = await newGuide();
    const move = () =>
      stores.mongo
        .collection<GuideDocument>('guides')
        .updateOne({ _id: guide }, { $set: { account: 'otro' } });
    // The service knows the account, and looks for the last number of its log.
    const proxy = await startMongoProxy(stores.mongoUri, async ({ find, sort }): Promise<Fate> => {
      if (find === 'events' && (sort as { _id?: number })._id === -1) await move();
      return 'done';
    });
    const { url, server } = await startApi({ MONGODB_URI: proxy.uri });
    const scanner = await Client.login(url, 'escaner');
    const answer = await scanner.post('/api/eventos', {
      Eventos: [event(guide, 'Recolectado', { Id: 'x' })],
    });
    expect(wordsOf(answer)).toEqual(['registrado']);
    expect(logOf(await new EventLog(stores.mongo).ofGuides([guide]))).toEqual([['otro', 'x']]);
    await server.close();
    await proxy.close();
  });

  test('two logs take an event of it at the same moment, and its state is made from both', async ({
    api: { contextOf: contextOfHealthy },
    newGuide,
    register,
    startApi,
    stores,
  }) => {
    const guide = await newGuide();
    const guides = stores.mongo.collection<GuideDocument>('guides');
    // The first process has read the guide and its log, when the guide is moved and another process registers an event.
    const proxy = await startMongoProxy(stores.mongoUri, async ({ insert }): Promise<Fate> => {
      if (insert !== 'events') return 'done';
      await guides.updateOne({ _id: guide }, { $set: { account: 'otro' } });
      expect(wordsOf(await register(event(guide, 'EnTransito', { Id: 'b' })))).toEqual(['registrado']);
      return 'done';
    });
    const { url, server } = await startApi({ MONGODB_URI: proxy.uri });
    const scanner = await Client.login(url, 'escaner');
    const delivered = event(guide, 'Entregado', { Id: 'a', Ocurrido: at(1) });
    expect(wordsOf(await scanner.post('/api/eventos', { Eventos: [delivered] }))).toEqual(['registrado']);
    expect(logOf(await contextOfHealthy(tracking).eventLog.ofGuides([guide]))).toEqual([
      ['demo', 'a'],
      ['otro', 'b'],
    ]);
    expect(await guides.findOne({ _id: guide })).toMatchObject({ status: 'Entregado', events: 2 });
    await server.close();
    await proxy.close();
  });
});

test('a guide of many packages takes 2000 events', async ({ newGuide, register, status }) => {
  const guide = await newGuide({ Producto: { ...minimalGuide().Producto, Paquetes: 99 } });
  for (let i = 0; i < 4; i++) {
    const events = Array.from({ length: 500 }, (_, j) =>
      event(guide, 'EnTransito', { Id: `${i}-${j}`, Paquete: 1 + (j % 99) }),
    );
    expect(new Set(wordsOf(await register(...events)))).toEqual(new Set(['registrado']));
  }
  expect(wordsOf(await register(event(guide, 'EnReparto')))).toEqual(['eventos_excedidos']);
  expect(await status(guide)).toBe('EnTransito');
});
