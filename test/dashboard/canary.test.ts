import { expect, test } from 'vitest';
import { canaryHeadline, diagnoseCanary } from '#services/dashboard/diagnoses/canary.ts';
import { showErrorsAsPages } from '#services/dashboard/pages.ts';
import type { CanaryReport, Fault, WayReport } from '#shared/canary/report.ts';
import { buildHttpServer } from '#shared/http/build-http-server.ts';
import { createLogger } from '#shared/observability/logger.ts';
import { cannot, GOOD } from '#test/fixtures/dashboard/pretended-canary.ts';

/** What "Estado" says of the canary's report. */

const lineOf = (report: CanaryReport, silentMs = 0) => canaryHeadline({ report, silentMs }).text;
const linesOf = (report: CanaryReport | undefined, silentMs = 0) =>
  diagnoseCanary({ report, silentMs }).map(({ id, level, text }) => [id, level, text]);

const customers: WayReport = {
  way: 'customers',
  host: 'guias.example',
  triedForMs: 3_600_000,
  goodAgoMs: 9_400,
  tookMs: 412,
};
const api = (host: string, change: Partial<WayReport> = {}): WayReport => ({
  ...{ way: 'process', host, triedForMs: 3_600_000, goodAgoMs: 4_000, tookMs: 250 },
  ...change,
});
const fault = (change: Partial<Fault>): Fault => ({
  ...{ step: 'print', form: '', isLate: false, sinceMs: 40_000, answer: 'sin respuesta en 10 s' },
  ...change,
});
const by = (...ways: WayReport[]): CanaryReport => ({ ...GOOD, ways });

test('says when a customer was served last, and how fast, by every way in', () => {
  expect(lineOf(by(customers))).toBe(
    'El cliente de prueba hizo una guía y leyó su etiqueta hace 9.4 s, en 412 ms',
  );
  expect(lineOf(by(customers, api('10.1.2.3:3000'), api('10.1.2.4:3000', { tookMs: 1_130 })))).toBe(
    'El cliente de prueba hizo una guía y leyó su etiqueta hace 9.4 s, en 1.1 s, por 3 entradas',
  );
  // A canary that closes for an upgrade is back within that time.
  expect(linesOf(by({ ...customers, goodAgoMs: 45_000 }), 45_000)).toEqual([]);
});

test('says what a customer cannot do, by which way, since when, and what was answered', () => {
  const print = fault({});
  const [a, b, c] = ['10.1.2.3:3000', '10.1.2.4:3000', '10.1.2.5:3000'].map((host) => api(host)) as [
    WayReport,
    WayReport,
    WayReport,
  ];
  const bad = (way: WayReport, change: Partial<Fault> = {}) => ({ ...way, fault: { ...print, ...change } });
  const textsOf = (...ways: WayReport[]) => linesOf(by(...ways)).map(([, , text]) => text);
  expect(linesOf(cannot('create'))).toEqual([
    [
      'canary-create',
      'grave',
      'El cliente de prueba no puede crear guías por la dirección de los clientes desde hace 40 s: 503 saturado',
    ],
  ]);
  expect(textsOf(customers, bad(a))).toEqual([
    'El cliente de prueba no puede imprimir etiquetas por la api 10.1.2.3:3000 desde hace 40 s: sin respuesta en 10 s',
  ]);
  expect(textsOf(customers, bad(a), bad(b, { sinceMs: 130_000 }))).toEqual([
    'El cliente de prueba no puede imprimir etiquetas por 2 de 3 entradas (la api 10.1.2.3:3000, la api 10.1.2.4:3000) desde hace 2 min: sin respuesta en 10 s',
  ]);
  expect(textsOf(bad(customers), bad(a), bad(b), bad(c), api('10.1.2.6:3000'))).toEqual([
    'El cliente de prueba no puede imprimir etiquetas por 4 de 5 entradas (la dirección de los clientes, la api 10.1.2.3:3000, la api 10.1.2.4:3000, …) desde hace 40 s: sin respuesta en 10 s',
  ]);
  expect(textsOf(bad(customers), bad(a))).toEqual([
    'El cliente de prueba no puede imprimir etiquetas por las 2 entradas desde hace 40 s: sin respuesta en 10 s',
  ]);
});

test('says what a customer waits for, less gravely', () => {
  const late = { isLate: true, answer: '2.1 s, objetivo 300 ms' };
  expect(linesOf(cannot('create', late))).toEqual([
    [
      'canary-create',
      'atencion',
      'El cliente de prueba espera demasiado para crear guías por la dirección de los clientes desde hace 40 s: 2.1 s, objetivo 300 ms',
    ],
  ]);
  // Where it fails by another way, that is told.
  const failing = api('10.1.2.3:3000', { fault: fault({ step: 'create', answer: '500 error_interno' }) });
  expect(linesOf({ ...GOOD, ways: [...cannot('create', late).ways, failing] })).toEqual([
    [
      'canary-create',
      'grave',
      'El cliente de prueba no puede crear guías por la api 10.1.2.3:3000 desde hace 40 s: 500 error_interno',
    ],
  ]);
});

test('says what a customer cannot do before what he waits for', () => {
  const late = { isLate: true, answer: '2.1 s, objetivo 1 s' };
  const form = fault({ step: 'other-label', form: 'PNG 10x15', answer: '500' });
  expect(linesOf({ ...cannot('print', late), checks: [form] }).map(([id]) => id)).toEqual([
    'canary-other-label',
  ]);
  const login = fault({ step: 'login', answer: '500' });
  expect(linesOf({ ...cannot('print', late), checks: [login] }).map(([id]) => id)).toEqual([
    'canary-login',
    'canary-print',
  ]);
});

test('of several steps of an action says the most telling one, and the forms that fail in one line', () => {
  const forms = ['PNG 10x15', 'ZPL 10x15'].map((form) => fault({ step: 'other-label', form, answer: '500' }));
  expect(linesOf({ ...GOOD, checks: forms })).toEqual([
    [
      'canary-other-label',
      'grave',
      'El cliente de prueba no puede imprimir PNG 10x15, ZPL 10x15 desde hace 40 s: 500',
    ],
  ]);
  const all = { ...cannot('print'), checks: [...forms, fault({ step: 'login', answer: '500' })] };
  expect(linesOf(all).map(([id]) => id)).toEqual(['canary-print', 'canary-login']);
  expect(lineOf(all)).toMatch(/^El cliente de prueba no puede imprimir etiquetas por /);
  // What a label says is wrong, whether or not others cannot be printed.
  const label = { ...GOOD, checks: [fault({}), fault({ step: 'read-label' })] };
  expect(diagnoseCanary({ report: label, silentMs: 0 }).map(({ effectOn }) => effectOn)).toEqual([
    ['api', 'print', 'print-tried'],
    ['api'],
  ]);
  const clock = fault({ step: 'clock', answer: 'va 1 h 0 min delante' });
  expect(linesOf({ ...GOOD, checks: [clock] })).toEqual([
    [
      'canary-clock',
      'atencion',
      'El cliente de prueba no puede confiar en la hora de las respuestas desde hace 40 s: va 1 h 0 min delante',
    ],
  ]);
});

test('says why nobody tries', () => {
  const idsOf = (report: CanaryReport, silentMs = 0) => linesOf(report, silentMs).map(([id]) => id);
  expect(linesOf(undefined, 3_000)).toEqual([
    ['canary-away', 'atencion', 'Nadie prueba desde hace al menos 3 s: el servicio canary no responde'],
  ]);
  expect(linesOf({ ...cannot('create'), key: 'refused' }, 130_000)).toEqual([
    ['canary-away', 'atencion', 'Nadie prueba desde hace 2 min: el servicio canary no responde'],
  ]);
  expect(idsOf(GOOD, 45_001)).toEqual(['canary-away']);
  // Its last good round is too old, and it says nothing of the next one.
  const old = { ...customers, goodAgoMs: 46_000 };
  expect(linesOf(by(old), 10_001).map(([, , text]) => text)).toEqual([
    'Nadie prueba desde hace 10 s: el servicio canary no responde',
  ]);
  expect(idsOf(by(old), 10_000)).toEqual(['canary-stuck']);
  expect(linesOf({ ...GOOD, key: 'refused' })).toEqual([
    [
      'canary-key',
      'atencion',
      'Nadie prueba: la API rechaza la llave del cliente de prueba (401). El servicio canary la vuelve a leer cada 15 s',
    ],
  ]);
  expect(linesOf({ ...GOOD, key: 'limited' })).toEqual([
    [
      'canary-limited',
      'atencion',
      'Nadie prueba: la cuenta del cliente de prueba llegó a su límite (429). Repita admin canary, con --ways y las entradas que hay',
    ],
  ]);
  expect(idsOf({ ...cannot('create'), key: 'refused' })).toEqual(['canary-create', 'canary-key']);
  expect(linesOf({ ...GOOD, ways: [], waiting: 'no-branches' })).toEqual([
    [
      'canary-waiting',
      'atencion',
      'El cliente de prueba todavía no puede empezar: no hay sucursales cargadas',
    ],
  ]);
  const young = { ...GOOD, uptimeMs: 3_000 };
  expect(linesOf({ ...young, ways: [] })).toEqual([
    ['canary-begins', 'atencion', 'Nadie ha probado todavía: el servicio canary empezó hace 3 s'],
  ]);
  expect(diagnoseCanary({ report: { ...young, ways: [] }, silentMs: 0 })).toMatchObject([{ fades: true }]);
});

test('says that the rounds by a way in have stopped', () => {
  const { goodAgoMs: _, ...never } = api('10.1.2.4:3000');
  expect(linesOf(by(customers, api('10.1.2.3:3000', { goodAgoMs: 45_001 })))).toEqual([
    [
      'canary-stuck',
      'atencion',
      'Nadie prueba por la api 10.1.2.3:3000 desde hace 45 s: el servicio canary no termina ninguna ronda',
    ],
  ]);
  expect(linesOf(by(api('10.1.2.3:3000', { goodAgoMs: 130_000 }), never))).toEqual([
    [
      'canary-stuck',
      'atencion',
      'Nadie prueba por las 2 entradas desde hace 1 h 0 min: el servicio canary no termina ninguna ronda',
    ],
  ]);
  // One of many processes, each of which is asked less often.
  const seldom = api('10.1.2.3:3000', { everyMs: 30_000, goodAgoMs: 90_000 });
  expect(linesOf(by(customers, seldom))).toEqual([]);
  expect(linesOf(by(customers, { ...seldom, goodAgoMs: 90_001 })).map(([id]) => id)).toEqual([
    'canary-stuck',
  ]);
  // A process that has just started.
  const started = by(customers, { ...never, triedForMs: 45_000 });
  expect(lineOf(started)).toBe('El cliente de prueba hizo una guía y leyó su etiqueta hace 9.4 s, en 412 ms');
  expect(linesOf(by(customers, { ...never, triedForMs: 45_001 })).map(([id]) => id)).toEqual([
    'canary-stuck',
  ]);
  expect(linesOf(by())).toEqual([
    [
      'canary-stuck',
      'atencion',
      'Nadie prueba desde hace 1 h 0 min: el servicio canary no termina ninguna ronda',
    ],
  ]);
});

test('the page of an outage says it too', async () => {
  const customer = async () => lineOf(cannot('print'));
  const server = await buildHttpServer({ log: createLogger('test', 'silent') }, async (built) => {
    built.addHook('onSend', showErrorsAsPages({ outages: async () => [], customer }));
    built.get('/', (_, reply) =>
      reply.code(503).send({ response: 'ERROR', codigo: 'servicio_no_disponible' }),
    );
  });
  const { body } = await server.inject({ url: '/', headers: { accept: 'text/html' } });
  expect(body).toContain(
    '<p>El cliente de prueba no puede imprimir etiquetas por la dirección de los clientes desde hace 40 s: 503 saturado.</p>',
  );
});
