import { randomUUID } from 'node:crypto';
import { describe, expect } from 'vitest';
import { Client } from '#test/fixtures/client.ts';
import { event } from '#test/fixtures/events.ts';
import { manifestOf } from '#test/fixtures/manifests.ts';
import { codeOf, everyDay, newAddress, pickupOf, test } from './asking.ts';

const NOW = () => new Date().toISOString();

describe('when a branch picks up', () => {
  test('are its next ten windows, with the time until which to ask', async ({ demo }) => {
    const { body } = await demo.get('/api/recolecciones/disponibles?CodigoPostal=64000');
    expect(body.data).toMatchObject({
      ...{ CodigoPostal: '64000', Sucursal: 'MTY01', Zona: 'America/Mexico_City' },
    });
    const { Ventanas } = body.data as { Ventanas: { SolicitarAntesDe: string }[] };
    expect(Ventanas).toHaveLength(10);
    expect(Ventanas[0]).toEqual({
      Fecha: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
      ...{ Desde: '10:00', Hasta: '17:00' },
      SolicitarAntesDe: expect.stringMatching(/^\d{4}-\d\d-\d\dT09:00:00-06:00$/),
    });
    expect(Date.parse(Ventanas[0]?.SolicitarAntesDe ?? '')).toBeGreaterThan(Date.now());
  });

  test('says why there are none', async ({ demo, calendar }) => {
    const why = async () => {
      const { body } = await demo.get('/api/recolecciones/disponibles?CodigoPostal=44100');
      return body.data;
    };
    expect(await why()).toMatchObject({ Sucursal: 'GDL01', Ventanas: [], Motivo: 'sin_recolecciones' });
    const uncovered = await demo.get('/api/recolecciones/disponibles?CodigoPostal=99999');
    expect(codeOf(uncovered)).toBe('404 sin_cobertura');
    await calendar({ rows: [...everyDay(), ...everyDay({ branch: 'GDL01', capacity: 0 })] });
    expect(await why()).toMatchObject({ Ventanas: [], Motivo: 'sin_cupo' });
  });
});

describe('a pick-up', () => {
  test('is asked for, read, and listed', async ({ ask, demo, read }) => {
    const earlier = pickupOf(await ask()).Recoleccion;
    const answer = await ask({ Peso: 4.5, Notas: 'Preguntar\nen la recepción' });
    const made = pickupOf(answer);
    expect(made).toMatchObject({
      Recoleccion: expect.stringMatching(/^R[1-9]\d{10}$/),
      ...{ Sucursal: 'MEX01', Estado: 'Solicitada', Paquetes: 3, Peso: 4.5, Version: 1, Detalle: [] },
      Direccion: { Nombre: 'Ana López', Celular: '5512345678' },
      Notas: 'Preguntar en la recepción',
      Historial: [{ Estado: 'Solicitada' }],
    });
    expect(await read(made.Recoleccion)).toEqual(made);
    const { Historial: _, Detalle: __, ...head } = made;
    const { Direccion: ___, Notas: ____, ...summary } = head as typeof head & Record<string, unknown>;
    // Of one second, they stand in the order of their numbers.
    const page = async (cursor = '') => {
      const { body } = await demo.get(`/api/recolecciones?estado=Solicitada&limite=1${cursor}`);
      return body as { data: { Recoleccion: string }[]; siguiente?: string };
    };
    const first = await page();
    const second = await page(`&cursor=${first.siguiente}`);
    const listed = [...first.data, ...second.data];
    expect(listed).toContainEqual(summary);
    expect(listed.map(({ Recoleccion }) => Recoleccion).sort()).toEqual([earlier, made.Recoleccion].sort());
  });

  test('is made once by an Idempotency-Key, and answered as it was', async ({ request, demo }) => {
    const body = await request();
    const key = { 'idempotency-key': randomUUID() };
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => demo.post('/api/recolecciones', body, key)),
    );
    const [first] = answers.map(pickupOf);
    expect(answers.map(pickupOf)).toEqual(Array(4).fill(first));
    await demo.post(`/api/recolecciones/${first?.Recoleccion}/cancelar`, '');
    const later = await demo.post('/api/recolecciones', body, key);
    expect(pickupOf(later)).toEqual(first);
    expect(later.headers.get('idempotent-replayed')).toBe('true');
    const other = await demo.post('/api/recolecciones', { ...body, Paquetes: 9 }, key);
    expect(codeOf(other)).toBe('409 idempotencia_conflicto');
  });

  test('is one of an address and a day, however the address is written', async ({ ask, demo, windows }) => {
    const Direccion = newAddress({ Calle: 'Av. Juárez', Numero_exterior: '250' });
    const first = pickupOf(await ask({ Direccion }));
    const again = { ...Direccion, Nombre: 'Luis', Calle: 'AVENIDA  JUAREZ', Numero_exterior: '250 ' };
    const second = await ask({ Direccion: again });
    expect(codeOf(second)).toBe('409 recoleccion_repetida');
    expect(second.body.message).toContain(first.Recoleccion);
    const { Ventana } = first;
    const other = (await windows()).find(({ Fecha }) => Fecha !== Ventana.Fecha);
    const { SolicitarAntesDe: _, ...otherDay } = other as never as { SolicitarAntesDe: string };
    expect((await ask({ Direccion, Ventana: otherDay })).status).toBe(200);
    await demo.post(`/api/recolecciones/${first.Recoleccion}/cancelar`, '');
    expect((await ask({ Direccion: again })).status).toBe(200);
  });

  test('is of its account alone', async ({ api, ask }) => {
    const { Recoleccion } = pickupOf(await ask());
    const other = await Client.login(api.url, 'otro');
    for (const answer of [
      await other.get(`/api/recolecciones/${Recoleccion}`),
      await other.post(`/api/recolecciones/${Recoleccion}/cancelar`, ''),
    ]) {
      expect(codeOf(answer)).toBe('404 recoleccion_no_encontrada');
    }
  });

  test('names all that is wrong with its request', async ({ ask }) => {
    const { status, body } = await ask({
      Ventana: { Fecha: '2026-12-01', Desde: '9' },
      Direccion: { Nombre: 'Ana', Calle: 7, Colonias: 'x' },
      ...{ Paquetes: 0, Peso: 'mucho', Guia: ['1'] },
    });
    expect(status).toBe(400);
    expect(body.details?.map(({ campo, codigo }) => `${campo} ${codigo}`).sort()).toEqual([
      'Direccion.Calle campo_tipo',
      'Direccion.CodigoPostal campo_requerido',
      'Direccion.Colonias campo_desconocido',
      'Direccion.Telefono campo_requerido',
      'Guia campo_desconocido',
      'Paquetes campo_formato',
      'Peso campo_tipo',
      'Ventana.Desde campo_formato',
      'Ventana.Hasta campo_requerido',
    ]);
  });

  test('is refused in a window that there is not, or whose time is over', async ({ ask, calendar }) => {
    const Ventana = { Fecha: '2031-02-30', Desde: '09:00', Hasta: '13:00' };
    expect(codeOf(await ask({ Ventana }))).toBe('400 campo_formato');
    const unknown = { Ventana: { ...Ventana, Fecha: '2031-02-03', Desde: '03:00' } };
    expect(codeOf(await ask(unknown))).toBe('409 ventana_no_disponible');
    const past = { Ventana: { ...Ventana, Fecha: '2026-01-05' } };
    await calendar({ rows: everyDay() });
    expect(codeOf(await ask(past))).toBe('409 ventana_cerrada');
  });
});

describe('guides and manifests of a pick-up', () => {
  test('are in one open pick-up, and free again once it is cancelled', async ({ ask, demo, guides }) => {
    const [one = '', two = ''] = await guides(2);
    const { Recoleccion, Detalle } = pickupOf(await ask({ Guias: [one, two] }));
    expect(Detalle).toEqual([{ SEND_GUIA: one }, { SEND_GUIA: two }]);
    const [three = ''] = await guides(1);
    const second = await ask({ Guias: [three, two] });
    expect(codeOf(second)).toBe('409 guia_en_recoleccion');
    expect(second.body.details).toMatchObject([{ indice: 1, codigo: 'guia_en_recoleccion' }]);
    expect(second.body.message).toContain(Recoleccion);
    await demo.post(`/api/recolecciones/${Recoleccion}/cancelar`, '');
    expect((await ask({ Guias: [three, two] })).status).toBe(200);
  });

  test('in several processes at once stay in one', async ({ startApi, api, request, guides }) => {
    const apis = [api, await startApi(), await startApi()];
    const Guias = await guides(3);
    const clients = await Promise.all(apis.map(({ url }) => Client.login(url)));
    const bodies = await Promise.all(Array.from({ length: 12 }, () => request({ Guias })));
    const answers = await Promise.all(
      bodies.map((body, i) => (clients[i % 3] as Client).post('/api/recolecciones', body)),
    );
    expect(answers.map(codeOf).sort()).toEqual([200, ...Array(11).fill('409 guia_en_recoleccion')]);
  });

  test('must wait for it at its branch', async ({ api, ask, guides, register, demo }) => {
    const [taken = '', cancelled = '', fine = ''] = await guides(3);
    await register(event(taken, 'Recolectado'));
    await demo.post(`/api/guias/${cancelled}/cancelar`, '');
    const { status, body } = await ask({ Guias: [fine, taken, cancelled] });
    expect([status, body.details]).toMatchObject([
      409,
      [
        { indice: 1, codigo: 'guia_no_espera' },
        { indice: 2, codigo: 'guia_cancelada' },
      ],
    ]);
    const other = await Client.login(api.url, 'otro');
    const [foreign = ''] = await guides(1, other);
    expect(codeOf(await ask({ Guias: [foreign] }))).toBe('404 guia_no_encontrada');
    expect(codeOf(await ask({ Guias: [foreign] }, { by: other }))).toBe('409 guia_de_otra_zona');
  });

  test('of a manifest are picked up with it', async ({ ask, make, guides, read, scanner }) => {
    const Guias = await guides(2);
    const { Manifiesto } = manifestOf(await make(Guias));
    const { Recoleccion } = pickupOf(await ask({ Manifiesto }));
    expect(codeOf(await ask({ Manifiesto }))).toBe('409 manifiesto_en_recoleccion');
    expect(codeOf(await ask({ Guias }))).toBe('409 guia_en_recoleccion');
    expect(codeOf(await ask({ Manifiesto: 'M48291365075' }))).toBe('404 manifiesto_no_encontrado');
    await scanner.post('/api/eventos', {
      Manifiesto,
      Tipo: 'Recolectado',
      Ocurrido: NOW(),
      Faltan: Guias.slice(1),
    });
    await expect.poll(async () => (await read(Recoleccion)).Estado).toBe('Recolectada');
  });
});

describe('a pick-up ends', () => {
  test('when all of its guides are picked up, and not before', async ({ ask, guides, read, register }) => {
    const Guias = await guides(3);
    const { Recoleccion } = pickupOf(await ask({ Guias }));
    await register(event(Guias[0] as string, 'Recolectado'));
    const whole = pickupOf(await ask({ Guias: await guides(1) }));
    await register(event(whole.Detalle[0]?.SEND_GUIA ?? '', 'Recolectado'));
    await expect.poll(async () => (await read(whole.Recoleccion)).Estado).toBe('Recolectada');
    expect(await read(Recoleccion)).toMatchObject({
      Estado: 'Solicitada',
      Detalle: [{ SEND_ESTATUS: 'Recolectado' }, {}, {}],
    });
    await register(event(Guias[1] as string, 'Recolectado'), event(Guias[2] as string, 'EnTransito'));
    await expect.poll(async () => (await read(Recoleccion)).Estado).toBe('Recolectada');
  });

  test('when all of its guides are cancelled', async ({ ask, demo, guides, read }) => {
    const Guias = await guides(2);
    const { Recoleccion } = pickupOf(await ask({ Guias }));
    for (const guide of Guias) await demo.post(`/api/guias/${guide}/cancelar`, '');
    await expect
      .poll(() => read(Recoleccion))
      .toMatchObject({
        ...{ Estado: 'Cancelada', Motivo: 'sin_guias' },
        Detalle: [{ SEND_ESTATUS: 'Cancelado' }, { SEND_ESTATUS: 'Cancelado' }],
      });
  });

  test("by the scan of its code with a manifest of the account's", async ({
    api,
    ask,
    make,
    guides,
    read,
    scanner,
  }) => {
    const scan = async (Recoleccion: unknown, by: Client) => {
      const { body } = await by.post('/api/manifiestos', { Guias: await guides(1, by) });
      const { Manifiesto } = body.data as { Manifiesto: string };
      return scanner.post('/api/eventos', { Manifiesto, Tipo: 'Recolectado', Ocurrido: NOW(), Recoleccion });
    };
    const demo = await Client.login(api.url);
    const { Recoleccion } = pickupOf(await ask());
    const foreign = await scan(Recoleccion, await Client.login(api.url, 'otro'));
    expect([codeOf(foreign), foreign.body.details?.[0]?.campo]).toEqual([
      ...['404 recoleccion_no_encontrada', 'Recoleccion'],
    ]);
    expect(codeOf(await scan(7, demo))).toBe('400 campo_tipo');
    expect(codeOf(await scan('R08291365075', demo))).toBe('409 recoleccion_de_prueba');
    expect((await read(Recoleccion)).Estado).toBe('Solicitada');
    expect(codeOf(await scan(Recoleccion, demo))).toBe(200);
    expect((await read(Recoleccion)).Estado).toBe('Recolectada');
    expect(make).toBeDefined();
  });

  test('by no scan of its code that occurred before it was asked for', async ({
    ask,
    make,
    guides,
    read,
    scanner,
  }) => {
    const { Manifiesto } = manifestOf(await make(await guides(1)));
    const { Recoleccion } = pickupOf(await ask());
    const Ocurrido = new Date(Date.now() - 3_600_000).toISOString();
    const scan = { Manifiesto, Tipo: 'Recolectado', Ocurrido, Recoleccion };
    expect(codeOf(await scanner.post('/api/eventos', scan))).toBe(200);
    expect((await read(Recoleccion)).Estado).toBe('Solicitada');
  });

  test('by its customer until the cut-off, again without a change', async ({ ask, demo, tell }) => {
    const { Recoleccion } = pickupOf(await ask());
    await tell({ Recoleccion, Estado: 'Programada' });
    const cancel = () => demo.post(`/api/recolecciones/${Recoleccion}/cancelar`, '');
    const first = await cancel();
    expect(pickupOf(first)).toMatchObject({ Estado: 'Cancelada', Motivo: 'cliente', Version: 3 });
    expect(pickupOf(await cancel())).toEqual(pickupOf(first));
    expect(await tell({ Recoleccion, Estado: 'Recolectada' })).toEqual(['recoleccion_terminada']);
  });

  test('after the cut-off by the carrier alone, until the window is over and nobody told what became of it', async ({
    ask,
    demo,
    stores,
    tell,
  }) => {
    const moved = async (more: object) => {
      const { Recoleccion } = pickupOf(await ask());
      await stores.mongo
        .collection<{ _id: string }>('pickups')
        .updateOne(
          { _id: Recoleccion },
          { $set: { 'window.closesAt': new Date(Date.now() - 1_000), ...more } },
        );
      return Recoleccion;
    };
    const cancel = (number: string) => demo.post(`/api/recolecciones/${number}/cancelar`, '');
    const Recoleccion = await moved({});
    const refused = await cancel(Recoleccion);
    expect(codeOf(refused)).toBe('409 recoleccion_despues_del_corte');
    expect(refused.body.message).toMatch(/si nadie pasa, se cancela desde \d{4}-.*T13:00:00-06:00$/);
    expect(await tell({ Recoleccion, Estado: 'Cancelada' })).toEqual(['registrado']);
    expect(pickupOf(await cancel(Recoleccion))).toMatchObject({
      Estado: 'Cancelada',
      Motivo: 'transportista',
    });

    const over = { 'window.endsAt': new Date(Date.now() - 1_000) };
    const forgotten = await moved(over);
    await tell({ Recoleccion: forgotten, Estado: 'Programada' });
    expect(pickupOf(await cancel(forgotten))).toMatchObject({ Estado: 'Cancelada', Motivo: 'cliente' });
    const failed = await moved(over);
    await tell({ Recoleccion: failed, Estado: 'Fallida', Motivo: 'cerrado' });
    expect(codeOf(await cancel(failed))).toBe('409 recoleccion_terminada');
  });
});

describe('what the carrier tells', () => {
  test('is registered each by itself, and again repeats nothing', async ({ ask, tell, read }) => {
    const one = pickupOf(await ask()).Recoleccion;
    const two = pickupOf(await ask()).Recoleccion;
    const states = [
      { Recoleccion: one, Estado: 'Programada' },
      { Recoleccion: two, Estado: 'Fallida', Motivo: 'nadie_atendio' },
      { Recoleccion: one, Estado: 'Recolectada', Ocurrido: NOW() },
      { Recoleccion: 'R48291365075', Estado: 'Programada' },
      { Recoleccion: one, Estado: 'Fallida' },
      { Recoleccion: one, Estado: 'Programada', Motivo: 'otro' },
      { Recoleccion: one, Estado: 'Ida' },
      { Recoleccion: one, Estado: 'Programada', Ocurrido: '2031-01-01T00:00:00Z' },
      { Recoleccion: one, Estado: 'Programada', Ocurrido: '2020-01-01T00:00:00Z' },
      { Recolecion: one },
    ];
    const wrong = [
      'recoleccion_no_encontrada',
      'campo_requerido',
      ...Array(4).fill('campo_formato'),
      'campo_desconocido',
    ];
    expect(await tell(...states)).toEqual(['registrado', 'registrado', 'registrado', ...wrong]);
    expect(await tell(...states)).toEqual(['recoleccion_terminada', 'repetido', 'repetido', ...wrong]);
    expect(await read(one)).toMatchObject({ Estado: 'Recolectada', Version: 3 });
    expect((await read(two)).Historial).toMatchObject([
      { Estado: 'Solicitada' },
      { Estado: 'Fallida', Motivo: 'nadie_atendio' },
    ]);
  });

  test('a failure frees the guides, and a late scan of before it counts', async ({
    ask,
    guides,
    read,
    register,
    tell,
  }) => {
    const Guias = await guides(1);
    const { Recoleccion } = pickupOf(await ask({ Guias }));
    await tell({ Recoleccion, Estado: 'Fallida', Motivo: 'cerrado', Ocurrido: NOW() });
    const next = pickupOf(await ask({ Guias })).Recoleccion;
    await register(event(Guias[0] as string, 'Recolectado'));
    await expect.poll(async () => (await read(next)).Estado).toBe('Recolectada');
    expect((await read(Recoleccion)).Estado).toBe('Fallida');

    const others = await guides(1);
    const late = pickupOf(await ask({ Guias: others })).Recoleccion;
    const Ocurrido = NOW();
    const failed = new Date(Date.parse(Ocurrido) + 1).toISOString();
    await tell({ Recoleccion: late, Estado: 'Fallida', Motivo: 'cerrado', Ocurrido: failed });
    await register(event(others[0] as string, 'Recolectado', { Ocurrido }));
    await expect.poll(async () => (await read(late)).Estado).toBe('Recolectada');
  });

  test('is listed by branch and day, as JSON and as a table', async ({ ask, staff, demo }) => {
    const made = pickupOf(await ask({ Notas: '=1+1' }));
    const path = '/api/recolecciones/del-dia';
    const day = `?sucursal=mex01&fecha=${made.Ventana.Fecha}`;
    const { body } = await staff.get(`${path}${day}`);
    const numbers = (body.data as { Recoleccion: string }[]).map(({ Recoleccion }) => Recoleccion);
    expect(numbers).toContain(made.Recoleccion);
    expect(body.data).toContainEqual(
      expect.objectContaining({ Cuenta: 'demo', Recoleccion: made.Recoleccion, Notas: '=1+1' }),
    );
    const headers = { authorization: `Bearer ${staff.token}` };
    const csv = await fetch(`${staff.url}${path}/csv${day}`, { headers });
    expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    const line = (await csv.text()).split('\n').find((each) => each.startsWith(made.Recoleccion));
    expect(line).toContain(`demo,${made.Ventana.Desde},${made.Ventana.Hasta},Solicitada,,Ana López`);
    expect(line).toContain("'=1+1");
    const { body: none } = await staff.get(`${path}${day}&ventana=03:00`);
    expect(none.data).toEqual([]);
    expect(codeOf(await staff.get(`${path}?sucursal=mex01&fecha=2026-02-30`))).toBe('400 parametro_invalido');
    expect(codeOf(await demo.get(`${path}${day}`))).toBe('403 sin_permiso');
  });
});

describe('of a test account', () => {
  test('a pick-up takes no place, begins with 0, goes with its guides, and is nobody else’s', async ({
    api,
    calendar,
    guides,
    request,
    staff,
    stores,
    tell,
  }) => {
    const tester = await Client.login(api.url, 'prueba');
    await calendar({ rows: everyDay({ from: '07:00', cutoff: '06:00', capacity: 0 }) });
    const { body } = await tester.get('/api/recolecciones/disponibles?CodigoPostal=06600');
    const offered = (body.data as { Ventanas: { Fecha: string; Desde: string; Hasta: string }[] })
      .Ventanas[0];
    expect(offered).toBeDefined();
    const { Fecha = '', Desde = '', Hasta = '' } = offered ?? {};
    const Guias = await guides(1, tester);
    const whole = { ...(await request()), Ventana: { Fecha, Desde, Hasta }, Guias };
    const made = pickupOf(await tester.post('/api/recolecciones', whole));
    expect(made).toMatchObject({ Recoleccion: expect.stringMatching(/^R0/), Prueba: true });
    type Expiring = { _id: string; expiresAt?: Date };
    const stored = await stores.mongo.collection<Expiring>('pickups').findOne({ _id: made.Recoleccion });
    const guide = await stores.mongo.collection<Expiring>('guides').findOne({ _id: Guias[0] as string });
    expect(stored?.expiresAt).toEqual(guide?.expiresAt);
    expect(stored).not.toHaveProperty('place');
    const list = await staff.get(`/api/recolecciones/del-dia?sucursal=MEX01&fecha=${Fecha}`);
    expect(JSON.stringify(list.body)).not.toContain(made.Recoleccion);
    expect(await tell({ Recoleccion: made.Recoleccion, Estado: 'Programada' })).toEqual([
      'recoleccion_de_prueba',
    ]);
    await calendar({ rows: everyDay() });
  });
});

describe('a test account plays', () => {
  const play = async (tester: Client, guide: string, body: object) =>
    codeOf(await tester.post(`/api/guias/${guide}/simular`, body));

  test('a driver who scans all guides, and one who came in vain', async ({ api, ask, guides, read }) => {
    const tester = await Client.login(api.url, 'prueba');
    const Guias = await guides(2, tester);
    const { Recoleccion } = pickupOf(await ask({ Guias }, { by: tester }));
    expect(await play(tester, Guias[0] as string, { Escenario: 'recoleccion', Hasta: 'Entregado' })).toBe(
      '400 campo_formato',
    );
    expect(await play(tester, Guias[0] as string, { Escenario: 'recoleccion' })).toBe(200);
    expect(await read(Recoleccion, tester)).toMatchObject({
      Estado: 'Recolectada',
      Historial: [{ Estado: 'Solicitada' }, { Estado: 'Programada' }, { Estado: 'Recolectada' }],
      Detalle: [{ SEND_ESTATUS: 'Recolectado' }, { SEND_ESTATUS: 'Recolectado' }],
    });
    expect(await play(tester, Guias[0] as string, { Escenario: 'recoleccion' })).toBe(
      '409 guia_sin_recoleccion',
    );

    const others = await guides(1, tester);
    const failing = pickupOf(await ask({ Guias: others }, { by: tester })).Recoleccion;
    expect(await play(tester, others[0] as string, { Escenario: 'recoleccion_fallida' })).toBe(200);
    expect(await read(failing, tester)).toMatchObject({ Estado: 'Fallida', Motivo: 'nadie_atendio' });
    expect((await ask({ Guias: others }, { by: tester })).status).toBe(200);
  });
});
