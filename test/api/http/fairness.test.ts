import { request } from 'node:http';
import { expect } from 'vitest';
import { branches } from '#services/api/branches/room.ts';
import { PostalCodeStore } from '#shared/branches/postal-code-store.ts';
import type { Adjustment } from '#shared/guides/adjustment.ts';
import type { LogEntry } from '#shared/tracking/event-model.ts';
import { weighingsOf } from '#test/api/tracking/operations.ts';
import { COLONIAS, COLONIAS_CODE, manyPackages } from '#test/bench/load/hostile-bodies.ts';
import { Client, fullGuide } from '#test/fixtures/client.ts';
import { event, test as events } from '#test/fixtures/events.ts';
import { newGuides } from '#test/fixtures/manifests.ts';
import { allOperations, type Sent, type World } from '#test/fixtures/operations.ts';

/**
 * Whatever an account sends, another one's requests are answered in between. Stretches between two turns of the event loop
 * are measured in CPU time of the thread, which a busy machine does not lengthen, and compared with known work.
 */

/** Longest stretch, in times that JSON of 1 MiB takes to be parsed. Work in turns gives way after one. */
const MOST_UNITS = 12;
/** CPU time over which a unit is averaged: ten steps of the coarsest clock. */
const UNIT_SUM_MS = 100;
/** The collector of garbage, or another program on the core, may lengthen a stretch of a few tries; a loop lengthens all. */
const TRIES = 10;

const test = events
  .extend('labelTimeouts', { scope: 'file' }, { label: 1_000, file: 1_000 }) // no worker prints: a label is late
  .extend('catalogue', { scope: 'file', auto: true }, async ({ api, stores }) => {
    const place = { Estado: 'Nuevo León', Municipio: 'Monterrey', Ciudad: 'Monterrey' };
    const code = { CodigoPostal: COLONIAS_CODE, ...place, Colonias: COLONIAS };
    await new PostalCodeStore(stores.mongo).replace(0, [code], 'ana');
    await api.contextOf(branches).catalogue.look();
  })
  .extend('other', { scope: 'file' }, ({ api }) => Client.login(api.url, 'otro'))
  .extend('heavyGuides', { scope: 'file' }, (): World['heavyGuides'] => async (client, count) => {
    const Guia = [manyPackages()];
    const quoted = await client.post('/api/guias/cotizar', { TipoServicio: 'Domicilio', Guia });
    const [{ Opciones }] = quoted.body.data as [{ Opciones: [{ Cotizacion: string }] }];
    const { Cotizacion } = Opciones[0];
    const created = await client.created(
      ...Array.from({ length: count }, () => ({ ...manyPackages(), Cotizacion })),
    );
    return { Cotizacion, numbers: created.map(({ SEND_GUIA }) => SEND_GUIA) };
  })
  .extend(
    'world',
    { scope: 'file' },
    async ({ api: { url }, demo, scanner, heavyGuides, stores }): Promise<World> => {
      const [full = ''] = (await heavyGuides(demo, 1)).numbers;
      for (let i = 0; i < 4; i++) await scanner.post('/api/eventos', { Eventos: weighingsOf(full) });
      const registered = new Date(Date.now() - 60_000);
      await stores.mongo.collection<LogEntry>('events').updateMany({}, { $set: { registered } });
      const made = new Map<string, unknown>();
      return {
        ...{ url, demo, scanner, heavyGuides, full },
        rehearsing: await Client.login(url, 'prueba'),
        newGuides: (count) => newGuides(demo, count),
        async once<T>(name: string, make: () => Promise<T>) {
          if (!made.has(name)) made.set(name, await make());
          return made.get(name) as T;
        },
      };
    },
  );

type Request = Pick<Sent, 'by' | 'headers'> & { method: string; path: string; text: string | Uint8Array };

/** Sends a request without reading its answer. @returns the status. */
function send({ method, by, path, headers, text }: Request) {
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
  world,
  other,
}) => {
  const longest: Record<string, string> = {};
  let unit = unitMs();
  for (const [name, { route, largest }] of Object.entries(await allOperations())) {
    const [method = '', address = ''] = route.split(' ');
    let units = Number.POSITIVE_INFINITY;
    for (let attempt = 0; attempt < TRIES && units > MOST_UNITS; attempt++) {
      const { by = world.demo, path = address, headers, body } = (await largest?.(world)) ?? {};
      const text = body === undefined ? '' : body instanceof Uint8Array ? body : JSON.stringify(body);
      if (attempt > 0) unit = unitMs();
      const watch = watchStretches();
      const small = send({ method: 'GET', path: '/api/auth/validate', by: other, text: '' });
      const status = await send({ method, path, by, text, ...(headers && { headers }) });
      units = Math.min(units, watch.stop() / unit);
      expect(await small).toBe(200);
      const isRight = (code: number) => code < 500 || code === 503 || route.includes('/etiqueta');
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
