import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { expect } from 'vitest';
import { PostalCodeStore } from '#shared/branches/postal-code-store.ts';
import type { Adjustment } from '#shared/guides/adjustment.ts';
import type { LogEntry } from '#shared/tracking/event-model.ts';
import { COLONIAS, COLONIAS_CODE, manyPackages, weighings } from '#test/bench/load/hostile-bodies.ts';
import { Client, fullGuide, minimalGuide } from '#test/fixtures/client.ts';
import { event, test as events } from '#test/fixtures/events.ts';
import { newGuides } from '#test/fixtures/manifests.ts';

/**
 * Whatever an account sends, another one's requests are answered in between. Stretches between two turns of the event loop
 * are measured in CPU time of the thread, which a busy machine does not lengthen, and compared with known work.
 */

const MOST = 500;
/** Longest stretch, in times that JSON of 1 MiB takes to be parsed. Work in turns gives way after one. */
const MOST_UNITS = 12;
/** CPU time over which a unit is averaged: ten steps of the coarsest clock. */
const UNIT_SUM_MS = 100;
/** The collector of garbage may lengthen a stretch of one try. */
const TRIES = 3;

type Sent = { by: Client; body?: unknown; headers?: Record<string, string>; path?: string };

const many = <T>(make: (i: number) => T) => Array.from({ length: MOST }, (_, i) => make(i));
/** Many words that the catalogue has in another order. */
const misspelt = (i: number) => `sauces alamos cedros fresnos encinos ${i % 9}xx`;
const address = { CodigoPostal: COLONIAS_CODE, Estado: 'Nuevo León' };

const test = events
  .override('labelTimeouts', { scope: 'file' }, { label: 1_000, file: 1_000 }) // no worker prints: a label is late
  .extend('catalogue', { scope: 'file', auto: true }, async ({ api, stores }) => {
    const place = { Estado: 'Nuevo León', Municipio: 'Monterrey', Ciudad: 'Monterrey' };
    const code = { CodigoPostal: COLONIAS_CODE, ...place, Colonias: COLONIAS };
    await new PostalCodeStore(stores.mongo).replace(0, [code], 'ana');
    await api.server.catalogue.look();
  })
  .extend('other', { scope: 'file' }, ({ api }) => Client.login(api.url, 'otro'))
  .extend('rehearsing', { scope: 'file' }, ({ api }) => Client.login(api.url, 'prueba'))
  /** Makes guides of 99 packages with a quote. @returns their numbers. */
  .extend('heavyGuides', { scope: 'file' }, () => async (client: Client, count: number) => {
    const Guia = [manyPackages()];
    const quoted = await client.post('/api/guias/cotizar', { TipoServicio: 'Domicilio', Guia });
    const [{ Opciones }] = quoted.body.data as [{ Opciones: [{ Cotizacion: string }] }];
    const { Cotizacion } = Opciones[0];
    const created = await client.created(
      ...Array.from({ length: count }, () => ({ ...manyPackages(), Cotizacion })),
    );
    return { Cotizacion, numbers: created.map(({ SEND_GUIA }) => SEND_GUIA) };
  })
  .extend('make', { scope: 'file' }, ({ demo }) => (Guias: readonly string[]) => {
    return demo.post('/api/manifiestos', { Guias });
  })
  /** The largest requests that each route accepts, by method and path. */
  .extend(
    'largest',
    { scope: 'file' },
    async ({ api, demo, scanner, rehearsing, heavyGuides, stores, make }) => {
      const { Cotizacion, numbers } = await heavyGuides(demo, 2);
      const [full = '', weighed = ''] = numbers;
      for (let i = 0; i < 4; i++) await scanner.post('/api/eventos', { Eventos: weighingsOf(full) });
      const registered = new Date(Date.now() - 60_000);
      await stores.mongo.collection<LogEntry>('events').updateMany({}, { $set: { registered } });
      const simulated = (await heavyGuides(rehearsing, TRIES)).numbers;
      const listed = await newGuides(demo, MOST);
      const manifest = ((await make(listed)).body.data as { Manifiesto: string }).Manifiesto;
      const guides = () => ({
        TipoServicio: 'Domicilio',
        Guia: many((i) => {
          const { Remitente, ...guide } = { ...fullGuide(), ...manyPackages(), Cotizacion };
          const Destinatario = { ...minimalGuide({ ...address, Colonia: misspelt(i) }).Destinatario };
          return {
            ...guide,
            Destinatario,
            Remitente: { ...Remitente, ...address, Colonia: misspelt(i + 1) },
          };
        }),
      });
      const one =
        (path: string, by = demo): (() => Sent) =>
        () => ({ by, path });
      const newWebhook = async () => {
        const { body } = await demo.post('/api/webhooks', { Url: 'https://example.com/a' });
        return `/api/webhooks/${(body.data as { Id: string }).Id}`;
      };
      const newKey = async () => {
        const { body } = await demo.post('/api/llaves', { Nombre: 'una' });
        return `/api/llaves/${(body.data as { Id: string }).Id}`;
      };
      const hook = await newWebhook();
      const key = () => ({ 'idempotency-key': randomUUID() });
      const routes: Record<string, (attempt: number) => Sent | Promise<Sent>> = {
        'POST /api/guias/crear': () => ({ by: demo, body: guides(), headers: key() }),
        'POST /api/guias/validar': () => ({ by: demo, body: guides() }),
        'POST /api/guias/cotizar': () => ({ by: demo, body: { Guia: guides().Guia } }),
        'POST /api/eventos': () => ({ by: scanner, body: { Eventos: weighingsOf(weighed) } }),
        'GET /api/eventos': one('/api/eventos?limite=500'),
        'GET /api/guias/{guia}/eventos': one(`/api/guias/${full}/eventos`),
        'POST /api/guias/{guia}/simular': (attempt) => ({
          ...{ by: rehearsing, path: `/api/guias/${simulated[attempt]}/simular` },
          body: { Eventos: weighings() },
        }),
        'GET /api/guias': one('/api/guias?limite=500'),
        'POST /api/manifiestos': async () => ({
          by: demo,
          body: { Guias: await newGuides(demo, MOST) },
          headers: key(),
        }),
        'GET /api/manifiestos': one('/api/manifiestos?limite=500'),
        'GET /api/manifiestos/{manifiesto}': one(`/api/manifiestos/${manifest}`),
        'GET /api/manifiestos/{manifiesto}/pdf': one(`/api/manifiestos/${manifest}/pdf`),
        'POST /api/guias/etiquetas': () => ({ by: demo, body: { Guias: listed, Tipo: 'carta' } }),
        'GET /api/guias/etiqueta/{guia}': one(`/api/guias/etiqueta/${full}`),
        'GET /api/guias/etiqueta-10x15/{guia}': one(`/api/guias/etiqueta-10x15/${full}`),
        'GET /api/guias/etiqueta-pequena/{guia}': one(`/api/guias/etiqueta-pequena/${full}`),
        'GET /api/guias/{guia}': one(`/api/guias/${full}`),
        'POST /api/guias/{guia}/cancelar': one(`/api/guias/${listed[0]}/cancelar`),
        'GET /api/guias/validar-destino/{code}': one('/api/guias/validar-destino/MTY01'),
        'GET /api/codigos-postales/{cp}': one(`/api/codigos-postales/${COLONIAS_CODE}`),
        'GET /api/sucursales/cobertura/{cp}': one(`/api/sucursales/cobertura/${COLONIAS_CODE}`),
        'POST /api/webhooks': () => ({ by: demo, body: { Url: `https://example.com/${'a'.repeat(470)}` } }),
        'GET /api/webhooks/{id}': one(hook),
        'PATCH /api/webhooks/{id}': () => ({ by: demo, path: hook, body: { Descripcion: 'a'.repeat(120) } }),
        'POST /api/webhooks/{id}/probar': one(`${hook}/probar`),
        'POST /api/webhooks/{id}/secreto': one(`${hook}/secreto`),
        'POST /api/webhooks/{id}/activar': one(`${hook}/activar`),
        'DELETE /api/webhooks/{id}': async () => ({ by: demo, path: await newWebhook() }),
        'POST /api/llaves': () => ({ by: demo, body: { Nombre: 'a'.repeat(60) } }),
        'DELETE /api/llaves/{id}': async () => ({ by: demo, path: await newKey() }),
        'POST /api/auth/login': () => ({
          by: demo,
          headers: { 'x-username': 'nadie', 'x-password': 'a'.repeat(72) },
        }),
        'POST /api/auth/password': () => ({ by: demo, body: { Actual: 'a'.repeat(72), Nueva: 'b' } }),
      };
      for (const path of [
        ...['/api/auth/validate', '/api/apipermissions/my-permissions', '/api/webhooks', '/api/llaves'],
        ...['/api/sucursales', '/api/sucursales/destinos', '/api/sucursales/origenes'],
        '/api/sucursales/cobertura',
      ]) {
        routes[`GET ${path}`] = one(path);
      }
      routes['POST /api/auth/logout'] = async () => ({ by: await Client.login(api.url, 'lectura') });
      return routes;
    },
  );

function weighingsOf(Guia: string): object[] {
  const Ocurrido = new Date().toISOString();
  return weighings({ Guia, Ocurrido }).map((each) => ({ ...each, Id: randomUUID() }));
}

/** Sends a request without reading its answer. @returns the status. */
function send(method: string, route: string, { by, path = route, headers, text }: Sent & { text: string }) {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const options = {
    method,
    headers: {
      authorization: `Bearer ${by.token}`,
      ...(text !== '' && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
      ...headers,
    },
  };
  const sending = request(by.url + path, options, (response) => {
    response.resume().once('end', () => resolve(response.statusCode ?? 0));
  });
  sending.once('error', reject).end(text);
  return promise;
}

/** Returns the CPU time of this thread, in ms; of the process where Node does not tell threads apart (before 23.9). */
function cpuMs(): number {
  const { user, system } = process.threadCpuUsage?.() ?? process.cpuUsage();
  return (user + system) / 1_000;
}

/** Notes the longest stretch between two turns of the event loop, in ms of CPU time, until `stop`. */
function watchStretches(): { stop(): number } {
  let last = cpuMs();
  let longest = 0;
  let isOver = false;
  const turn = () => {
    const now = cpuMs();
    longest = Math.max(longest, now - last);
    last = now;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  return {
    stop: () => {
      isOver = true;
      return longest;
    },
  };
}

/**
 * Parses JSON of 1 MiB until the sum of the times can be told: some kernels count CPU time in steps of 10 ms.
 * @returns the ms of CPU time of one.
 */
function unitMs(): number {
  const text = JSON.stringify(Array.from({ length: 1_000 }, () => fullGuide())).slice(0, 2 ** 20 - 2);
  const json = `[${JSON.stringify(text)},${JSON.stringify(Array.from({ length: 900 }, () => fullGuide()))}]`;
  const from = cpuMs();
  let parsed = 0;
  while (cpuMs() - from < UNIT_SUM_MS) {
    JSON.parse(json);
    parsed++;
  }
  return (cpuMs() - from) / parsed;
}

test('every route lets others in while it serves its largest request', { timeout: 240_000 }, async ({
  api,
  largest,
  other,
}) => {
  const response = await fetch(`${api.url}/api/openapi.json`);
  const { paths } = (await response.json()) as { paths: Record<string, object> };
  const routes = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(Object.keys(largest).toSorted()).toEqual(routes.toSorted());
  const longest: Record<string, string> = {};
  for (const name of routes) {
    const [method = '', route = ''] = name.split(' ');
    let units = Number.POSITIVE_INFINITY;
    for (let attempt = 0; attempt < TRIES && units > MOST_UNITS; attempt++) {
      const sent = (await largest[name]?.(attempt)) as Sent;
      const text = sent.body === undefined ? '' : JSON.stringify(sent.body);
      const unit = unitMs();
      const watch = watchStretches();
      const small = send('GET', '/api/auth/validate', { by: other, text: '' });
      const status = await send(method, route, { ...sent, text });
      units = Math.min(units, watch.stop() / unit);
      expect(await small).toBe(200);
      const isRight = (code: number) => code < 500 || code === 503 || name.includes('/etiqueta');
      expect([name, status]).toEqual([name, expect.toSatisfy(isRight)]);
    }
    if (units > MOST_UNITS) longest[name] = `${units.toFixed(1)} units`;
  }
  expect(longest).toEqual({});
});

test('an adjustment stays small, however many packages differ', async ({ demo, heavyGuides, register }) => {
  const { numbers } = await heavyGuides(demo, 1);
  const [guide = ''] = numbers;
  await register(
    ...Array.from({ length: 99 }, (_, i) => event(guide, 'Pesaje', { Paquete: i + 1, Peso: (i + 1) / 2 })),
  );
  const { Ajuste } = (await demo.get(`/api/guias/${guide}`)).body.data as { Ajuste: Adjustment };
  const freight = Ajuste.Lineas?.find(({ Concepto }) => Concepto === 'flete');
  expect(freight?.Descripcion).toMatch(/^(Zona 3, hasta [^;]+; ){5}y \d+ más$/);
  expect(JSON.stringify(Ajuste).length).toBeLessThan(1_000);
});
