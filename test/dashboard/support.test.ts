import { describe, expect } from 'vitest';
import { anonymiseOlder, anonymiseSection } from '#services/api/guides/anonymise-guides.ts';
import { hashPassword } from '#shared/accounts/passwords.ts';
import { UserStore } from '#shared/accounts/user-store.ts';
import { GUIDES } from '#shared/guides/guide-model.ts';
import type { Permission } from '#shared/rooms.ts';
import { modelOf } from '#shared/stores/collection.ts';
import type { Webhook } from '#shared/webhooks/webhook-model.ts';
import { WebhookStore } from '#shared/webhooks/webhook-store.ts';
import { pathOf, put } from '#test/api/evidence/fixture.ts';
import { Client, fullGuide, minimalGuide } from '#test/fixtures/client.ts';
import { Visitor } from '#test/fixtures/dashboard/visitor.ts';
import { event, test as eventTest } from '#test/fixtures/events.ts';

const RECEIVER = 'https://tienda.example:8443/camino-secreto?clave=tambien-secreta';
const PHONES = { Celular: '+52 1 81 2222 3333', Telefono: '8144445555' };
const RECIPIENT = { Nombre: 'José  Ángel Ñúñez', CodigoPostal: '06600', ...PHONES };
/** What a page shows, on one line. */
const textOf = (html: string) =>
  html
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .replaceAll('&#x3D;', '=');
const search = (visitor: Visitor, buscar: string, cuenta = '') =>
  visitor.send('POST', '/soporte', { body: new URLSearchParams({ buscar, cuenta }) });

const test = eventTest
  // No worker prints.
  .extend('labelTimeouts', { scope: 'file' }, { label: 1_000, file: 1_000 })
  /** Somebody with these permissions, logged in to a dashboard. */
  .extend('visitorWith', { scope: 'file' }, ({ stores, dashboard }) => {
    const users = new UserStore(stores.mongo);
    return async (permissions: Permission[], url = dashboard.url) => {
      const username = permissions.join('-') || 'nadie';
      const passwordHash = await hashPassword('demo1234');
      const user = { account: 'soporte', passwordHash, permissions, originBranch: null, disabled: false };
      await users.create({ username, ...user });
      const visitor = new Visitor(url);
      const { status, headers } = await visitor.login(username);
      return Object.assign(visitor, { username, login: [status, headers.get('location')] as const });
    };
  })
  .extend('supervisor', { scope: 'file' }, ({ visitorWith }) =>
    visitorWith(['soporte.read', 'soporte.personas', 'guias.read']),
  )
  /** A guide of this account and one of another, whose recipients write their name differently. */
  .extend('theirs', { scope: 'file' }, async ({ api, newGuide }) => {
    const other = await Client.login(api.url, 'otro');
    const [abroad] = await other.created(minimalGuide({ ...RECIPIENT, Nombre: 'JOSE ANGEL NUNEZ RUIZ' }));
    return [await newGuide(minimalGuide(RECIPIENT)), abroad?.SEND_GUIA ?? ''] as const;
  })
  .extend('support', { scope: 'file' }, ({ visitorWith }) => visitorWith(['soporte.read']))
  /** The page of a guide as text, once it says what the api tells within a second. */
  .extend('guidePage', { scope: 'file' }, ({ support }) => async (number: string, says = /./) => {
    const read = async () => textOf((await support.page(`/soporte/guia/${number}`)).text);
    await expect.poll(read, { timeout: 10_000 }).toMatch(says);
    return read();
  })
  .extend('trail', { scope: 'file' }, ({ stores }) => (guide: string) => {
    return stores.mongo.collection('audit').find({ 'details.guide': guide }).sort({ at: 1 }).toArray();
  });

describe('permissions', () => {
  test('soporte.read leads to Soporte, and to nothing of the queue', async ({ support }) => {
    expect(support.login).toEqual([303, '/soporte']);
    const { headers } = await support.page('/');
    expect(headers.get('location')).toBe('/soporte');
    const { text } = await support.page('/soporte');
    expect(text).toContain('href="/soporte" aria-current="page"');
    expect(text).not.toMatch(/Estado<|Cola</);
    for (const path of ['/pausar', '/colas/queue/labels', '/colas/api/queues']) {
      const { status, text } = await support.page(path);
      expect([path, status]).toEqual([path, 403]);
      expect(text).toContain('Su usuario no tiene el permiso colas.admin');
    }
    for (const path of ['/pausar', '/reanudar'])
      expect((await support.send('POST', path, { body: new URLSearchParams() })).status).toBe(403);
  });

  test('colas.admin alone leads to Estado, and to no page of Soporte', async ({ visitorWith, number }) => {
    const visitor = await visitorWith(['colas.admin']);
    expect(visitor.login).toEqual([303, '/']);
    expect((await visitor.page('/')).text).not.toContain('href="/soporte"');
    for (const path of ['/soporte', '/soporte/webhooks', `/soporte/guia/${number}`]) {
      const { status, text } = await visitor.page(path);
      expect([path, status]).toEqual([path, 403]);
      expect(text).toContain('Su usuario no tiene el permiso soporte.read');
    }
  });

  test('soporte.personas alone lets nobody in', async ({ visitorWith }) => {
    expect((await visitorWith(['soporte.personas'])).login[0]).toBe(403);
  });
});

describe('personal data', () => {
  const told = { Recibe: 'Rosa Recibe', Nota: 'La puerta de la señora Nota' };
  const whole = fullGuide();
  // Other words than those of branches, and no number that a random id may have.
  const { DestinoCode, ...recipient } = {
    ...whole.Destinatario,
    ...{
      Estado: 'Estado Dos',
      Municipio: 'Municipio Dos',
      Colonia: 'Colonia Dos',
      Numero_exterior: 'Lote 800',
      Numero_interior: 'Depto 4B',
    },
  };
  const Remitente = {
    ...whole.Remitente,
    Estado: 'Estado Uno',
    Municipio: 'Municipio Uno',
    Numero_exterior: 'Lote 121',
    Numero_interior: 'Local 3C',
  };
  const { Producto, Creado_por } = whole;
  const goods = [Producto.Contenido, Producto.InformacionAdicional];
  const personal = [
    ...Object.values({ ...Remitente }),
    ...Object.values(recipient),
    ...Object.values(Creado_por),
    ...goods,
    ...Object.values(told),
  ];
  const shownIn = (html: string) => personal.filter((text) => html.replaceAll('&#x27;', "'").includes(text));

  test('is on no page without its permission, and on one with it after a click; the trail has each look', async ({
    newGuide,
    register,
    support,
    visitorWith,
    trail,
  }) => {
    const number = await newGuide({
      ...{ ...whole, Remitente, Destinatario: { DestinoCode, ...recipient }, Referencia: 'PERSONAS-1' },
    });
    await register(
      event(number, 'Incidencia', { Motivo: 'otro', Nota: told.Nota }),
      event(number, 'Entregado', { Recibe: told.Recibe }),
    );
    const path = `/soporte/guia/${number}`;
    const pages = [await support.page(path), await search(support, 'PERSONAS-1')];
    const refused = await support.send('POST', path, { body: new URLSearchParams() });
    expect(refused.status).toBe(403);
    expect(refused.text).toContain('Su usuario no tiene el permiso soporte.personas');
    for (const { text } of [...pages, refused]) expect(shownIn(text)).toEqual([]);
    expect(pages[0]?.text).toContain('Entregado');
    expect(pages[0]?.text).not.toContain('Ver los datos personales');

    const supervisor = await visitorWith(['soporte.read', 'soporte.personas']);
    const before = (await supervisor.page(path)).text;
    expect(shownIn(before)).toEqual([]);
    expect(before).toContain('Ver los datos personales');
    const shown = await supervisor.send('POST', path, { body: new URLSearchParams() });
    expect(shownIn(shown.text)).toEqual(personal);

    const looks = await trail(number);
    const look = (actor: string, personal: boolean) => ({
      ...{ action: 'support.guide', actor, account: 'soporte', subject: 'demo', service: 'dashboard' },
      ...{ outcome: 'ok', details: { guide: number, personal } },
    });
    expect(looks.map(({ _id, at, address, requestId, ...rest }) => rest)).toEqual([
      look('soporte.read', false),
      look(supervisor.username, false),
      look(supervisor.username, true),
    ]);
    expect(shownIn(JSON.stringify(looks))).toEqual([]);
  });
});

describe('a guide', () => {
  test('names its pictures, and where the api gives them', async ({
    newGuide,
    register,
    guidePage,
    scanner,
  }) => {
    const number = await newGuide();
    await register(event(number, 'Entregado', { Id: 'entrega-1' }));
    expect(await guidePage(number)).not.toContain('Firmas y fotos');
    const path = `/api/guias/${number}/evidencia/entrega-1/firma`;
    expect((await put(scanner, pathOf(number, 'entrega-1', 'firma'))).status).toBe(200);
    expect(await guidePage(number)).toMatch(new RegExp(`firma Entregado de [^/]+ ${path}`));
    await register(event(number, 'Anulacion', { Anula: 'entrega-1' }));
    expect(await guidePage(number)).toMatch(new RegExp(`firma Entregado de [^/]+ \\(anulado\\) ${path}`));
  });

  test('shows its state and events in the words of the tracking page', async ({
    newGuide,
    register,
    guidePage,
  }) => {
    const number = await newGuide({ Producto: { Contenido: 'Libros', Paquetes: 2 } });
    expect(await guidePage(number)).toContain('Ninguno: el paquete no se ha escaneado.');
    await register(
      event(number, 'EnSucursal', { Sucursal: 'MEX01', Id: 'llego' }),
      event(number, 'Incidencia', { Motivo: 'danado', Paquete: 2, Id: 'falso' }),
      event(number, 'Anulacion', { Anula: 'falso' }),
    );
    const text = await guidePage(number);
    expect(text).toContain('En la sucursal de reparto EnSucursal');
    expect(text).toMatch(/Llegó a la sucursal de reparto EnSucursal Id llego MEX01 todos/);
    expect(text).toMatch(/Hubo un problema \(anulado\) Incidencia El paquete está dañado Id falso — 2/);
    expect(text).toContain('Anula el evento falso Anulacion');
    expect(text).toContain('Cuenta demo');
    expect(text).toContain('Las horas son hora del centro de México.');
  });

  test.for([0, 1])(
    'shows a state of a later release by its name, with %i events',
    async (events, { newGuide, register, guidePage, stores }) => {
      const number = await newGuide();
      const { mongo } = stores;
      if (events > 0) await register(event(number, 'Recolectado'));
      await mongo
        .collection<{ _id: string }>('guides')
        .updateOne({ _id: number }, { $set: { status: 'EnAduana' } });
      await mongo
        .collection('events')
        .updateMany({ 'told.Guia': number }, { $set: { 'told.Tipo': 'EnAduana' } });
      expect(await guidePage(number)).toContain('EnAduana EnAduana');
    },
  );

  test('shows what the bill has of it, with a quote and without one', async ({
    demo,
    newGuide,
    register,
    guidePage,
    stores,
  }) => {
    const Destinatario = { Nombre: 'Luis', CodigoPostal: '64000', Calle: 'Juarez', Numero_exterior: '1' };
    const Producto = {
      ...{ Contenido: 'Libros', Peso: 2.5, Largo: 30, Alto: 20, Ancho: 15 },
      ValorDeclarado: 1500,
    };
    const guide = { Destinatario, Producto };
    const unquoted = 'Precio No se cotizó: responde 0.';
    const number = await newGuide(guide);
    expect(await guidePage(number)).toContain(
      `${unquoted} Se cobra aparte: $194.30, según la versión 1 de la tarifa`,
    );
    const heavy = await newGuide({ ...guide, Producto: { ...Producto, Peso: 71 } });
    expect(await guidePage(heavy)).toContain(
      `${unquoted} No tiene precio: el paquete pesa más de lo que la tarifa admite, según la versión 1 de la tarifa`,
    );

    const { body } = await demo.post('/api/guias/cotizar', { TipoServicio: 'Domicilio', Guia: [guide] });
    const [answer] = body.data as { Opciones: { Cotizacion: string }[] }[];
    const quoted = await newGuide({ ...guide, Cotizacion: answer?.Opciones[0]?.Cotizacion });
    expect(await guidePage(quoted)).toContain('Precio Se cotizó en $194.30, según la versión 1 de la tarifa');

    await register(event(number, 'Pesaje', { Peso: 8 }));
    expect(await guidePage(number, /Pesaje/)).toContain(
      `${unquoted} Se cobra aparte: $257.16, según la versión 1 de la tarifa`,
    );
    const cancelled = await newGuide(guide);
    expect((await demo.post(`/api/guias/${cancelled}/cancelar`, '')).status).toBe(200);
    expect(await guidePage(cancelled)).toContain(`${unquoted} Se canceló: no se cobra`);
    // As 1.8 stored it.
    const guides = modelOf(stores.mongo, GUIDES);
    await guides.updateOne({ _id: heavy }, { $unset: { unquoted: 1, priced: 1 } });
    expect(await guidePage(heavy)).toContain(`${unquoted} Es de antes de 1.9.0`);
  });

  test('shows labels that were refused, with code, time, account and request', async ({
    api,
    demo,
    newGuide,
    guidePage,
  }) => {
    const number = await newGuide();
    const path = `/api/guias/etiqueta-10x15/${number}`;
    const unprinted = await demo.get(`${path}?formato=zpl`, { 'x-request-id': 'sin-worker' });
    const other = await Client.login(api.url, 'otro');
    await other.get(path, { 'x-request-id': 'ajena' });
    await demo.labelFile([number, number], 'pequena');
    await demo.post(`/api/guias/${number}/cancelar`, {});
    await demo.get(`${path}?formato=png`, { 'x-request-id': 'cancelada' });

    const text = await guidePage(number, /guia_cancelada/);
    expect(text).toMatch(/Etiqueta \(10x15, png\) 409 guia_cancelada \d+ ms demo cancelada/);
    expect(text).toMatch(/Archivo de 1 guía \(pequena, pdf\) 50[03] \w+ /); // no worker runs here
    expect(text).toMatch(/Etiqueta \(10x15, pdf\) 404 guia_no_encontrada .*? otro ajena/);
    const { codigo } = unprinted.body;
    expect(text).toMatch(
      new RegExp(`Etiqueta \\(10x15, zpl\\) ${unprinted.status} ${codigo} .*? demo sin-worker`),
    );
    expect(text.indexOf('cancelada')).toBeLessThan(text.indexOf('sin-worker')); // the newest first
  });

  test('says so if nobody knows about its labels, and shows all else', async ({
    newGuide,
    startDashboard,
    visitorWith,
  }) => {
    const number = await newGuide();
    const { url } = await startDashboard({ LABEL_CACHE_URL: 'redis://127.0.0.1:1' });
    const visitor = await visitorWith(['soporte.read'], url);
    const text = textOf((await visitor.page(`/soporte/guia/${number}`)).text);
    expect(text).toContain('No se sabe: el Redis de las etiquetas no responde.');
    expect(text).toContain('Guía creada Documentado');
    expect(textOf((await search(visitor, 'una-solicitud')).text)).toContain('No se sabe si hay respuestas');
  });

  test('shows its webhooks: what each has of its events, since when it waits, why, and when it is tried', async ({
    stores,
    demo,
    newGuide,
    register,
    guidePage,
  }) => {
    const number = await newGuide();
    expect(await guidePage(number)).toContain('La cuenta no tiene webhooks');
    await register(event(number, 'Recolectado'));
    const webhooks = stores.mongo.collection<Webhook>('webhooks');
    const add = async (more: object = {}) => {
      const { body } = await demo.post('/api/webhooks', { Url: RECEIVER, ...more });
      return (body.data as { Id: string }).Id;
    };
    const [failing, filtered, off] = [await add(), await add({ Tipos: ['Devuelto'] }), await add()];
    await register(event(number, 'EnReparto'), event(number, 'Entregado'));
    const at = (minute: number) => new Date(Date.UTC(2026, 10, 20, 18, minute));
    const lastFailure = { at: at(3), reason: 'Respondio 500' };
    const failure = { failures: 4, failingSince: at(1), lastFailure, dueAt: at(33), waitingSince: at(0) };
    const { cursor = 0 } = (await webhooks.findOne({ id: failing })) ?? {};
    await webhooks.updateOne({ id: failing }, { $set: { ...failure, cursor: cursor + 1 } });
    await webhooks.updateOne({ id: filtered }, { $set: { cursor: cursor + 2 } });
    await webhooks.updateOne({ id: off }, { $set: { active: false } });

    const text = await guidePage(number, /Falla/);
    expect(text).toMatch(
      /tienda\.example:8443 Falta: Entregado, desde .*? Ya tiene 1 evento 1 evento es anterior al webhook Falla desde 20 nov 2026, 12:01:00 Respondio 500 1 evento pendiente 20 nov 2026, 12:00:00 20 nov 2026, 12:33:00/,
    );
    expect(text).toMatch(/Solo Devuelto Su filtro no pide 3 eventos Al día/);
    expect(text).toMatch(
      /Falta: EnReparto, Entregado, desde .*? Apagado Lo apago su cuenta 2 eventos pendientes/,
    );
    expect(text).not.toMatch(/secret/);
  });

  test.for(['123', '390458235876', 'x%27%3Cscript%3E'])('%s is none', async (number, { support }) => {
    const { status, text } = await support.page(`/soporte/guia/${number}`);
    expect(status).toBe(404);
    expect(text).toContain('Ninguna guía tiene ese número');
  });
});

describe('a search', () => {
  test('leads to the guide by its number, however it was copied', async ({ number, support }) => {
    const copied = ` ${number.slice(0, 4)} ${number.slice(4, 8)}-${number.slice(8)} `;
    const { status, headers } = await search(support, copied);
    expect([status, headers.get('location')]).toEqual([303, `/soporte/guia/${number}`]);
  });

  test('finds a reference in every account, or in one', async ({ api, demo, newGuide, support }) => {
    const mine = await newGuide({ Referencia: 'PEDIDO Ñ-7' });
    const only = await search(support, 'PEDIDO Ñ-7');
    expect(only.headers.get('location')).toBe(`/soporte/guia/${mine}`);
    const other = await Client.login(api.url, 'otro');
    const [theirs] = await other.created({ ...minimalGuide(), Referencia: 'PEDIDO Ñ-7' });
    const both = (await search(support, 'PEDIDO Ñ-7')).text;
    for (const number of [mine, theirs?.SEND_GUIA]) expect(both).toContain(`/soporte/guia/${number}"`);
    const one = await search(support, 'PEDIDO Ñ-7', 'otro');
    expect(one.headers.get('location')).toBe(`/soporte/guia/${theirs?.SEND_GUIA}`);
    expect(textOf((await search(support, 'PEDIDO Ñ-7', 'lectura')).text)).toContain(
      'Ninguna guía de la cuenta lectura tiene esa referencia.',
    );
    // The beginning is enough.
    await demo.created(
      ...Array.from({ length: 51 }, (_, i) => ({ ...minimalGuide(), Referencia: `MUCHAS-${i}` })),
    );
    const many = (await search(support, 'MUCHAS')).text;
    expect(many.match(/href="\/soporte\/guia/g)).toHaveLength(50);
    expect(many).toContain('Hay más de 50');
  });

  test('finds what a request got by its id: the guides it made, or why it made none', async ({
    demo,
    support,
    stores,
  }) => {
    const send = (guides: object[], id: string) =>
      demo.post('/api/guias/crear', { TipoServicio: 'Domicilio', Guia: guides }, { 'x-request-id': id });
    const guides = Array.from({ length: 7 }, () => minimalGuide());
    const made = (await send(guides, 'pedido-1042.a')).body.data as { SEND_GUIA: string }[];
    const wrong = { ...minimalGuide(), Remitente: { 'Juan Secreto': 'x' } };
    await send([wrong, minimalGuide({ CodigoPostal: '6600' })], 'pedido-1042.b');
    const pageOf = async (id: string) => (await search(support, id)).text;
    await expect.poll(() => pageOf('pedido-1042.b'), { timeout: 10_000 }).toContain('campo_requerido');

    const ok = await pageOf('pedido-1042.a');
    expect(textOf(ok)).toMatch(/Crear 7 guías .*? y 2 más 200 \d+(\.\d)? m?s demo pedido-1042\.a/);
    for (const { SEND_GUIA } of made.slice(0, 5)) expect(ok).toContain(`/soporte/guia/${SEND_GUIA}"`);
    const refused = textOf(await pageOf('pedido-1042.b'));
    expect(refused).toMatch(/Crear guías 400 campo_\w+ .*Remitente\.Nombre: campo_requerido/);
    expect(refused).toContain('campo_desconocido');
    const kept = await stores.cache.lrange(`${stores.prefix}:answers:request:pedido-1042.b`, 0, -1);
    expect(kept).toHaveLength(1);
    expect(refused + kept).not.toContain('Juan Secreto');
  });

  test('that finds one guide is in the trail, also by its number', async ({
    newGuide,
    stores,
    visitorWith,
  }) => {
    const seeker = await visitorWith(['soporte.read', 'guias.quote']);
    const number = await newGuide();
    expect((await search(seeker, number)).status).toBe(303);
    const looks = await stores.mongo.collection('audit').find({ actor: seeker.username }).toArray();
    const searches = looks.filter(({ action }) => action === 'support.search');
    const text = `***${number.slice(-4)}`;
    expect(searches.map(({ details }) => details)).toEqual([
      { text, persons: false, guides: [number], answers: 0 },
    ]);
  });

  test('says of an unknown id how long ids are kept, and where else they are', async ({
    support,
    stores,
  }) => {
    const { text } = await search(support, 'nunca-vista');
    expect(textOf(text)).toContain(
      'Se guardan las de crear guías y de imprimir etiquetas, 3 días, o menos si el Redis de las etiquetas se llena, y no las de quien no entró. Los registros de la API tienen todas, por requestId .',
    );
    const looks = await stores.mongo.collection('audit').find({ action: 'support.search' }).toArray();
    expect(looks.length).toBeGreaterThan(0);
    expect(JSON.stringify(looks)).not.toMatch(/nunca-vista|PEDIDO/);
  });

  test('shows a text of its own as text', async ({ support }) => {
    const { text } = await search(support, '"><script>alert(1)</script>', '<b>');
    expect(text).not.toContain('<script>alert');
    expect(text).toContain('la cuenta &lt;b&gt;');
  });
});

describe('a search for a person', () => {
  test.for([
    ['jose angel nu', [0, 1]],
    ['  José Ángel  ÑÚÑEZ r', [1]],
    ['81-2222-3333', [0, 1]],
    ['044 81 4444 5555', [0, 1]],
  ] as const)('finds the guides of every account for %s', async ([text, found], { supervisor, theirs }) => {
    const page = await search(supervisor, text);
    if (found.length === 1) {
      expect(page.headers.get('location')).toBe(`/soporte/guia/${theirs[found[0]]}`);
      return;
    }
    for (const number of theirs) expect(page.text).toContain(`/soporte/guia/${number}"`);
    expect(textOf(page.text)).toMatch(/Jo… Án… Ñú… Tel\. \*{3}3333 \/ \*{3}5555/);
    expect(page.text.replace(/value="[^"]*"/, '')).not.toMatch(/Ángel|ANGEL|2222|4444/);
  });

  test('needs three letters of the name, from its beginning, or a whole phone', async ({
    supervisor,
    theirs,
  }) => {
    for (const text of ['jo', 'ngel', '8122', '81222233']) {
      const page = await search(supervisor, text);
      for (const number of theirs) expect(page.text).not.toContain(number);
      expect(page.text).toContain('Ningún destinatario tiene ese teléfono');
    }
  });

  test('is only for soporte.personas: others find and see nothing', async ({ support, theirs }) => {
    const { status, text } = await search(support, 'jose angel');
    expect(status).toBe(200);
    for (const number of theirs) expect(text).not.toContain(number);
    expect(text).not.toMatch(/destinatario/i);
  });

  test('says in the trail what was looked for and found, and names nobody', async ({
    stores,
    theirs,
    visitorWith,
  }) => {
    const seeker = await visitorWith(['soporte.read', 'soporte.personas', 'guias.quote']);
    await search(seeker, 'jose angel nu');
    await search(seeker, '8122223333', 'Jose Angel');
    const looks = await stores.mongo
      .collection('audit')
      .find({ actor: seeker.username, action: 'support.search' })
      .sort({ at: 1 })
      .toArray();
    const guides = expect.toSatisfy((found: string[]) => theirs.every((number) => found.includes(number)));
    expect(looks.map(({ subject, details }) => [subject, details])).toEqual([
      [undefined, { text: 'jo… an… n…', persons: true, guides, answers: 0 }],
      ['Jo… An…', { text: '***3333', persons: true, guides: [], answers: 0 }],
    ]);
  });

  test('finds nobody who was erased or whose guide is old', async ({ newGuide, stores, supervisor }) => {
    const numbers = [await newGuide(), await newGuide()].toSorted();
    const [erased = '', old = ''] = numbers;
    const guides = modelOf(stores.mongo, GUIDES);
    const sought = { name: 'zacarias olvidado', phones: ['8166667777'] };
    await guides.updateMany({ _id: { $in: numbers } }, { $set: { sought } });
    await guides.updateOne({ _id: old }, { $set: { createdUtc: new Date(Date.UTC(2020, 1)) } });
    expect((await search(supervisor, 'zacarias')).text).toContain(`/soporte/guia/${erased}"`);
    await anonymiseSection(stores.mongo, [erased], 'Destinatario');
    const step = { filter: { _id: { $gt: erased, $lte: old } }, upTo: old, count: 1 };
    expect(await anonymiseOlder(stores.mongo, step, new Date(Date.UTC(2021, 1)), new Date())).toBe(1);
    for (const text of ['zacarias', '8166667777'])
      expect((await search(supervisor, text)).text).toContain('Ningún destinatario tiene ese teléfono');
  });
});

describe('the webhooks', () => {
  test('of all accounts are those that need somebody; those of one account are all', async ({
    api,
    stores,
    support,
  }) => {
    const other = await Client.login(api.url, 'otro');
    const pageOf = async (account = '') =>
      textOf((await support.page(`/soporte/webhooks${account && `?cuenta=${account}`}`)).text);
    const { body } = await other.post('/api/webhooks', { Url: RECEIVER });
    const { Id: id } = body.data as { Id: string };
    expect(await pageOf()).not.toContain(id);
    expect(await pageOf('otro')).toMatch(new RegExp(`otro tienda\\.example:8443 ${id} Al día — —`));
    expect(await pageOf('lectura')).toContain('La cuenta lectura no tiene webhooks.');
    const off = { at: new Date(Date.UTC(2026, 10, 20, 18, 2)), reason: 'Cinco dias sin exito' };
    await stores.mongo.collection('webhooks').updateOne({ id }, { $set: { active: false, off } });
    const all = await pageOf();
    expect(all).toMatch(new RegExp(`${id} Apagado desde 20 nov 2026, 12:02:00 Cinco dias sin exito — —`));
    expect(all).not.toMatch(/secret/);
  });

  test('says that there are more than it lists', async ({ stores, support }) => {
    const page = async () => textOf((await support.page('/soporte/webhooks')).text);
    const webhooks = stores.mongo.collection<Webhook>('webhooks');
    const one = await new WebhookStore(stores.mongo).add(
      { account: 'muchos-del-todo', url: RECEIVER, description: '', cursor: 0 },
      'whsec_',
    );
    const off = { at: new Date(), reason: 'Cinco dias sin exito' };
    const fill = (from: number, to: number) =>
      webhooks.insertMany(
        Array.from({ length: to - from }, (_, i) => {
          const name = `muchos-${String(from + i).padStart(3, '0')}`;
          return { ...(one as Webhook), _id: `${name} 1`, id: name, account: name, active: false, off };
        }),
      );
    const listed = (await page()).match(/tienda\.example/g)?.length ?? 0;
    await fill(listed, 200);
    expect(await page()).not.toContain('Hay más de');
    await fill(200, 201);
    expect(await page()).toContain('Hay más de 200');
    await webhooks.deleteMany({ account: /^muchos-/ });
  });
});
