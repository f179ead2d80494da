import { expect, test } from 'vitest';
import { diagnose } from '#services/dashboard/diagnose.ts';
import type { LastSeen, Level } from '#services/dashboard/diagnoses/diagnosis.ts';
import { latencyOf } from '#services/dashboard/label-latency.ts';
import type { SystemState } from '#services/dashboard/system-state.ts';
import type { ActionSums } from '#shared/actions/action-counts.ts';
import type { CanaryReport } from '#shared/canary/report.ts';
import { USER_ACTIONS, type UserAction } from '#shared/rooms.ts';
import type { ActionReport, ServiceHeartbeat } from '#shared/stores/heartbeat.ts';
import { heartbeatOf, workerBeat } from '#test/fixtures/dashboard/fleet.ts';
import { cannot, GOOD } from '#test/fixtures/dashboard/pretended-canary.ts';

/** What is wrong in a state of the system, by the ids, sections or texts of its lines. */

const NOW = Date.now();
const NONE_FAILED = Object.fromEntries(
  USER_ACTIONS.map((action) => [action, { ok: 0, notOk: 0 }]),
) as SystemState['actions'];
/** A system under load. */
const well: SystemState = {
  ...{ at: NOW, waiting: 3, active: 50, failed: 2, paused: false, oldestMs: 400 },
  latency: { labels: 500, p50: 120, p99: 800 },
  ...{ failures: [], minutes: [], actions: NONE_FAILED, lost: [], auditWaiting: 0 },
  canary: { report: GOOD, silentMs: 0 },
  ...{ elsewhere: [], mongoAheadMs: 0, guides: { priced: 0, billed: 0, without_tariff: 0 } },
  self: {
    service: 'dashboard',
    id: '',
    host: 'maquina',
    pid: 9,
    startedAt: 0,
    clockAheadMs: 0,
    settings: {},
  },
  workers: [workerBeat('w')],
  services: [heartbeatOf('api'), heartbeatOf('branches'), heartbeatOf('webhooks')],
  reached: { mongodb: 'ok', redis: 'ok' },
  redis: {
    ...{ usedBytes: 100, maxBytes: 1_000, policy: 'noeviction', noeviction: true },
    ...{ replica: false, appendOnly: true, writesFail: false },
  },
  webhooks: { active: 10_000, behind: 0, worst: undefined, disabled: 0, failing: undefined },
  pickups: { unscheduled: 0, unfinished: 0, branches: [] },
};

type Change = Partial<SystemState>;
const textsOf = (change: Change) => diagnose({ ...well, ...change }).map(({ text }) => text);
const idsOf = (change: Change, lastSeen?: LastSeen) =>
  diagnose({ ...well, ...change }, lastSeen).map(({ id }) => id);

const redis = (change: Partial<SystemState['redis']>): Change => ({ redis: { ...well.redis, ...change } });
/** The process of a service tells something else. */
const tells = (service: ServiceHeartbeat['service'], change: Partial<ServiceHeartbeat>) => ({
  services: well.services.map((one) => (one.service === service ? { ...one, ...change } : one)),
});
/** It reaches something else. */
const reaches = (service: ServiceHeartbeat['service'], dependencies: ServiceHeartbeat['dependencies']) =>
  tells(service, { dependencies: { ...heartbeatOf(service).dependencies, ...dependencies } });
const without = (service: string) => well.services.filter((one) => one.service !== service);
const withApi = (change: Partial<ServiceHeartbeat>): Change => ({
  services: [...well.services, heartbeatOf('api', { id: 'api-2', ...change })],
});
const elsewhere = (service: 'api' | 'webhooks', seesWorkers = false) => ({
  ...{ id: 'elsewhere', service, host: 'otra', pid: 8, seesWorkers },
});
/** The clocks of all processes are so far ahead of that of Redis. */
const wholeFleet = (clockAheadMs: number): Change => ({
  services: well.services.map((one) => ({ ...one, clockAheadMs })),
  workers: well.workers.map((one) => ({ ...one, clockAheadMs })),
  self: { ...well.self, clockAheadMs },
});
type Failing = NonNullable<ActionReport['failing']>;
/** The api tells that an action fails. */
const fails = (action: UserAction, figures: Partial<Failing> & Pick<Failing, 'notOk' | 'all'>) => {
  const tail = { lastNotOk: Math.min(10, figures.notOk), lastAll: Math.min(10, figures.all) };
  const times = { since: NOW - 25_000, lastBegan: NOW - 1_000 };
  const failing = { ...times, ...tail, codigo: 'servicio_no_disponible', ...figures };
  return tells('api', { actions: { [action]: { lastNotOk: NOW - 1_000, failing } } });
};
const sums = (action: UserAction, figures: Partial<ActionSums>): Change => ({
  actions: { ...NONE_FAILED, [action]: { ok: 0, notOk: 0, ...figures } },
});
const receivers = (count: number): Change => {
  const worst = { account: 'tienda', host: 'tienda.example', forMs: 9_000, reason: 'Respondio 500' };
  return {
    webhooks: { active: 10_000, behind: 0, worst: undefined, disabled: 0, failing: { count, worst } },
  };
};
const EXPIRING = { collection: 'guides', index: 'expiresAt_1', isUnique: false };
const flood = (refused: number) => withApi({ limited: [{ account: 'otro', refused }] });

test.each<[string, Change, string, Level]>([
  ['a Redis that is nearly full', redis({ usedBytes: 801 }), 'redisfull', 'grave'],
  ['a full Redis', redis({ usedBytes: 1_001 }), 'redisrefuseswrites', 'grave'],
  ['a Redis that is a replica', redis({ replica: true }), 'redisrefuseswrites', 'grave'],
  ['a Redis that drops jobs', redis({ noeviction: false }), 'redismaydropjobs', 'grave'],
  ['a Redis that cannot write', redis({ writesFail: true }), 'redisdisk', 'grave'],
  ['labels that fail', fails('print', { notOk: 3, all: 3 }), 'labelsfail', 'grave'],
  ['MongoDB that takes no guides', reaches('api', { mongodb: 'read-only' }), 'mongodown', 'grave'],
  [
    'MongoDB whose disk is full',
    tells('api', {
      dependencies: { ...well.services[0]?.dependencies, mongodb: 'read-only' },
      fullDisks: ['mongodb'],
    }),
    'volumenearlyfull',
    'grave',
  ],
  ['an index that is missing', tells('api', { missingIndexes: [EXPIRING] }), 'indexmissing', 'atencion'],
  [
    'a token that branches refuses',
    tells('api', {
      refusedBy: ['branches'],
      dependencies: { ...well.services[0]?.dependencies, branches: 'down' },
    }),
    'secretsdiffer',
    'grave',
  ],
  ['a bucket that is away', reaches('api', { 'evidence-bucket': 'down' }), 'evidencebucketdown', 'grave'],
  ['a mail server that is away', reaches('api', { 'mail-server': 'down' }), 'mailserverdown', 'atencion'],
  ['MongoDB away from branches', reaches('branches', { mongodb: 'down' }), 'mongodown', 'grave'],
  ['branches away from the api', reaches('api', { branches: 'down' }), 'branchesdown', 'grave'],
  ['a queue that takes no jobs', reaches('api', { redis: 'read-only' }), 'redisrefuseswrites', 'grave'],
  [
    'one of two apis that gives no sign',
    { lost: [{ service: 'api', host: 'maquina', pid: 7, forMs: 12_000 }] },
    'servicedown',
    'atencion',
  ],
  [
    'branches that were never loaded',
    tells('branches', { directory: {} }),
    'directoryincomplete',
    'atencion',
  ],
  ['a receiver that fails', receivers(1), 'webhooksbehind', 'nota'],
  ['receivers that fail among ten thousand', receivers(999), 'webhooksbehind', 'nota'],
  [
    'pick-ups that nobody schedules',
    { pickups: { unscheduled: 2, unfinished: 0, branches: ['MEX01'] } },
    'pickupsoverdue',
    'atencion',
  ],
  [
    'pick-ups of which nobody tells anything',
    { pickups: { unscheduled: 0, unfinished: 1, branches: ['MEX01'] } },
    'pickupsoverdue',
    'atencion',
  ],
  ['as many receivers as if we were at fault', receivers(1_001), 'webhooksbehind', 'atencion'],
  ['an account over its limit', flood(60), 'accountfloods', 'nota'],
  ['an action that the audit log lacks', { auditWaiting: 1 }, 'mongodown', 'nota'],
  ['figures of webhooks that are unknown', { webhooks: undefined }, 'mongodown', 'atencion'],
  [
    'a setting that differs, which is no secret',
    {
      services: well.services.map((one) => ({
        ...one,
        startedAt: NOW - 1_000_000,
        settings: { TIME_ZONE: ['1'] },
      })),
      self: { ...well.self, settings: { TIME_ZONE: ['2'] } },
    },
    'secretsdiffer',
    'atencion',
  ],
  ['an api whose clock is ahead', tells('api', { clockAheadMs: 61_000 }), 'clocksdiffer', 'atencion'],
  [
    'a dashboard whose clock is behind',
    { self: { ...well.self, clockAheadMs: -61_000 } },
    'clocksdiffer',
    'atencion',
  ],
  [
    'stores whose clocks differ',
    { mongoAheadMs: 3_600_000, ...wholeFleet(3_600_000) },
    'clocksdiffer',
    'atencion',
  ],
  ['an api without label workers in another Redis', { elsewhere: [elsewhere('api')] }, 'noworkers', 'grave'],
  [
    'an api with label workers in another Redis',
    { elsewhere: [elsewhere('api', true)] },
    'noworkers',
    'atencion',
  ],
  ['a webhooks in another Redis', { elsewhere: [elsewhere('webhooks')] }, 'noworkers', 'atencion'],
  [
    'a dashboard in another Redis than all others',
    { services: [], workers: [], elsewhere: [elsewhere('api', true), elsewhere('webhooks')] },
    'noworkers',
    'grave',
  ],
])('names %s', (_, change, section, level) => {
  expect(diagnose({ ...well, ...change })).toMatchObject([{ section, level }]);
});

test.each<[string, Change]>([
  ['the system is under load', {}],
  ['no label waits and none was printed', { oldestMs: undefined, latency: undefined }],
  ['an account reaches its limit now and then', flood(59)],
  ['two of few labels failed in a quiet night', fails('print', { notOk: 2, all: 2 })],
  [
    'one in a hundred requests fails',
    {
      ...fails('create', { notOk: 9, all: 900, lastNotOk: 1, lastAll: 10 }),
      ...sums('create', { ok: 891, notOk: 9 }),
    },
  ],
  [
    'a rollout brings another PUBLIC_URL',
    {
      services: [
        ...well.services.map((one) => ({
          ...one,
          startedAt: NOW - 1_000_000,
          settings: { PUBLIC_URL: ['1'] },
        })),
        heartbeatOf('api', { id: 'new', settings: { PUBLIC_URL: ['2'] } }),
      ],
    },
  ],
  ['the clocks differ by a minute', wholeFleet(60_000)],
])('says nothing while %s', (_, change) => {
  expect(textsOf(change)).toEqual([]);
});

test('names the rows that were lost, and not what fails for that', () => {
  const directory = (found: number, covered: number) => ({
    branches: { found, rows: 1_200 },
    coverage: { found: covered, rows: 95_999 },
  });
  const lost = (change: ServiceHeartbeat['directory']): Change => ({
    services: [
      ...fails('create', { notOk: 30, all: 30 }).services,
      heartbeatOf('branches', { id: 'branches-2', ...(change && { directory: change }) }),
    ],
  });
  expect(textsOf(lost(directory(0, 0)))).toEqual([
    'MongoDB perdió filas del directorio: quedan 0 de 1,200 sucursales y 0 de 95,999 códigos postales con cobertura',
  ]);
  expect(textsOf(lost(directory(1_200, 12)))).toEqual([
    'MongoDB perdió filas del directorio: quedan 12 de 95,999 códigos postales con cobertura',
  ]);
  // Of a load before 1.8.1, which did not count its rows.
  expect(textsOf(lost({ branches: { found: 0 } }))).toEqual([
    'MongoDB perdió filas del directorio: quedan 0 sucursales',
  ]);
  const whole = { branches: { found: 3 } }; // without coverage there are still `DestinoCode`
  expect(textsOf(tells('branches', { directory: whole }))).toEqual([]);
});

test('names an action of which three in a hundred requests fail, although few of the last did', () => {
  const few = fails('create', { notOk: 9, all: 900, lastNotOk: 1, lastAll: 10 });
  expect(idsOf({ ...few, ...sums('create', { ok: 300, notOk: 9 }) })).toEqual(['create-fails']);
});

test('names the account that floods, over all processes of the api', () => {
  const limited = [
    [{ account: 'otro', refused: 50 }],
    [
      { account: 'otro', refused: 50 },
      { account: 'tienda', refused: 70 },
    ],
  ];
  const apis = limited.map((limited) => heartbeatOf('api', { limited }));
  expect(textsOf({ services: [...well.services, ...apis] })).toEqual([
    'La cuenta otro pasa su límite: 100 de sus solicitudes recibieron 429 en el último minuto; cuentas que también lo pasan: 1',
  ]);
});

/** An account, a codigo or none, and how long ago. */
type Told = [account: string, codigo: string, ago: number];
/** What apis tell of creations. */
const accountsOf = (...processes: Told[][]): Change => ({
  services: [
    ...without('api'),
    ...processes.map((outcomes, i) =>
      heartbeatOf('api', {
        id: `api-${i}`,
        tariffLoad: { at: NOW - 180_000, by: 'ana' },
        accounts: {
          create: outcomes.map(([account, codigo, ago]) => ({
            account,
            at: NOW - ago,
            ...(codigo && { codigo, data: codigo === 'sin_tarifa' ? 'tariff' : 'coverage' }),
          })),
        },
      }),
    ),
  ],
});

test('asks whether our data are wrong where half of the accounts are refused, three at least', () => {
  const no = 'sin_cobertura';
  const a: Told = ['a', no, 9_000];
  const b: Told = ['b', no, 8_000];
  const c: Told = ['c', no, 7_000];
  const well = (name: string, ago = 1_000): Told => [name, '', ago];
  expect(textsOf(accountsOf([a, b], [c, well('d'), well('e'), well('f')]))).toEqual([
    'A 3 de 6 cuentas que crean guías se les responde sin_cobertura: ¿está bien la cobertura?',
  ]);
  const unpriced = ['d', 'e', 'f'].map((name): Told => [name, 'sin_tarifa', 10]);
  expect(textsOf(accountsOf(unpriced))).toEqual([
    'A 3 de 3 cuentas que crean guías se les responde sin_tarifa: ¿está bien la tarifa? Última carga: hace 3 min, por ana',
  ]);
  // Each kind of data by itself.
  expect(textsOf(accountsOf([a, b, ...unpriced.slice(2)]))).toEqual([]);
  expect(idsOf(accountsOf([a, b, c, ...unpriced]))).toEqual(['own-data-coverage', 'own-data-tariff']);
  // Fewer than half; one account in two processes; one that another process has served since.
  expect(
    textsOf(
      accountsOf(
        [a, b, c],
        ['d', 'e', 'f', 'g'].map((name) => well(name)),
      ),
    ),
  ).toEqual([]);
  expect(textsOf(accountsOf([a, b], [a, b]))).toEqual([]);
  expect(textsOf(accountsOf([a, b, c], [well('c', 6_000)]))).toEqual([]);
  // Nobody has been refused for half a minute, while others are served.
  const old = ['a', 'b', 'c'].map((name): Told => [name, no, 31_000]);
  expect(textsOf(accountsOf([...old, well('d')]))).toEqual([]);
  expect(idsOf(accountsOf([...old, well('d', 40_000)]))).toEqual(['own-data-coverage']);
});

test('says where an action fails, since when, of how many, and how', () => {
  const { services } = fails('create', { notOk: 12, all: 14 });
  const second = heartbeatOf('api', { id: 'api-2', actions: { create: { lastOk: NOW } } });
  const change = { services: [...services, second], ...sums('create', { ok: 100_000, notOk: 12 }) };
  expect(textsOf(change)).toEqual([
    'Crear guías falla desde hace 25 s: 12 de 14 en api, uno de 2 procesos de api, la última: servicio_no_disponible',
  ]);
});

test('one broken Chromium of two does not explain that labels fail', () => {
  const broken = workerBeat('broken', { chromium: { state: 'failed', since: NOW - 60_000, prints: 0 } });
  const { services } = fails('print', { notOk: 3, all: 3 });
  expect(idsOf({ services, workers: [workerBeat('w'), broken] })).toEqual(['chromium', 'print-fails']);
  expect(idsOf({ services, workers: [broken] })).toEqual(['chromium']);
});

const customer = (report: CanaryReport): Change => ({ canary: { report, silentMs: 0 } });

test('names what a customer cannot do unless a cause is named, or real customers meet the same', () => {
  expect(idsOf(customer(cannot('create')))).toEqual(['canary-create']);
  expect(idsOf({ ...customer(cannot('create')), ...reaches('api', { branches: 'down' }) })).toEqual([
    'branches',
  ]);
  const creations = fails('create', { notOk: 3, all: 3 });
  expect(idsOf({ ...customer(cannot('create')), ...creations })).toEqual(['create-fails']);
  expect(idsOf({ ...customer(cannot('print')), ...creations })).toEqual(['canary-print', 'create-fails']);
  for (const step of ['other-label', 'manifest'] as const)
    expect(idsOf({ ...customer(cannot(step)), workers: [] })).toEqual(['no-workers']);
  for (const step of ['page', 'webhook'] as const) {
    expect(idsOf({ ...customer(cannot(step)), services: without('api') })).toEqual(['api']);
    expect(idsOf({ ...customer(cannot(step)), ...reaches('api', { mongodb: 'down' }) })).toEqual(['mongodb']);
  }
  expect(idsOf({ ...customer(cannot('clock')), ...tells('api', { clockAheadMs: 61_000 }) })).toEqual([
    'clocks-differ',
  ]);
  expect(
    idsOf({
      ...customer({ ...GOOD, ways: [], waiting: 'no-branches' }),
      ...tells('branches', { directory: {} }),
    }),
  ).toEqual(['directory-empty']);
});

test('names a Chromium that takes long to start, and first the one that has failed for longest', () => {
  const worker = (host: string, state: 'starting' | 'failed', forMs: number) =>
    workerBeat(host, { host, at: NOW, chromium: { state, since: NOW - forMs, prints: 0 } });
  const starting = (forMs: number) => textsOf({ workers: [worker('lenta', 'starting', forMs)] });
  expect(starting(4_999)).toEqual([]);
  expect(starting(5_000)).toEqual(['El Chromium de lenta está arrancando, desde hace 5 s']);
  const workers = [worker('lenta', 'starting', 9_000), worker('rota', 'failed', 60_000)];
  expect(textsOf({ workers })).toEqual(['El Chromium de rota y de 1 más no arranca, desde hace 1 min']);
});

test('names processes that give no sign while others of their service do', () => {
  const lost = (service: string, pid: number, forMs = 12_000) => ({ service, host: 'maquina', pid, forMs });
  expect(textsOf({ lost: [lost('api', 7)] })).toEqual([
    'Un proceso de api no da señales desde hace 12 s: maquina, pid 7',
  ]);
  const workers = diagnose({ ...well, lost: [lost('label-worker', 8), lost('label-worker', 7, 60_000)] });
  const text = '2 procesos de label-worker no dan señales; el último, desde hace 12 s: maquina, pid 8';
  expect(workers).toMatchObject([{ id: 'lost-label-worker', section: 'noworkers', text }]);
  // A full Redis takes no sign of any process.
  expect(idsOf({ ...redis({ usedBytes: 1_001 }), lost: [lost('api', 7)] })).toEqual(['redis-read-only']);
  // Nothing came back when they are forgotten after ten minutes.
  expect(diagnose({ ...well, lost: [lost('api', 7, 585_000)] })[0]).not.toHaveProperty('fades');
  expect(diagnose({ ...well, lost: [lost('api', 7, 585_001)] })).toMatchObject([{ fades: true }]);
});

test('forgets an action that nobody has tried for ten minutes, and what began before a cause ended', () => {
  const change = fails('create', { notOk: 12, all: 14, lastBegan: NOW - 9_000 });
  expect(idsOf(change)).toEqual(['create-fails']);
  expect(idsOf({ ...change, at: NOW + 600_000 })).toEqual([]);
  expect(idsOf(change, { harmed: { create: NOW - 8_000 }, redis: 0 })).toEqual([]);
  expect(idsOf(change, { harmed: { create: NOW - 12_000 }, redis: 0 })).toEqual(['create-fails']);
  expect(idsOf(change, { harmed: { print: NOW }, redis: 0 })).toEqual(['create-fails']);
});

test('names the secret of a process that is not that of the others, and none that is being rotated', () => {
  const api = (id: string, JWT_SECRET: string[], startedAt = 2) =>
    heartbeatOf('api', { id, host: id, startedAt, settings: { JWT_SECRET } });
  const among = (...apis: ServiceHeartbeat[]) => textsOf({ services: [...without('api'), ...apis] });
  expect(among(api('a', ['1']), api('b', ['1'], 3), api('c', ['2'], 1))).toEqual([
    expect.stringMatching(/^El JWT_SECRET de api en c, pid 1, no es el de 2 procesos de api: /),
  ]);
  expect(among(api('a', ['1'], 3), api('b', ['2'], 1))).toEqual([expect.stringMatching(/de api en a, /)]);
  expect(among(api('a', ['1', '2']), api('b', ['2']), api('c', ['2', '1']))).toEqual([]);
});

test('says of a bucket of evidence what is wrong, and not what fails for that', () => {
  const failing = fails('evidence', { notOk: 9, all: 9 }).services[0];
  const bucket = (change: Partial<ServiceHeartbeat>): Change => ({
    services: [...without('api'), { ...failing, ...change } as ServiceHeartbeat],
  });
  const dependencies = { ...heartbeatOf('api').dependencies, 'evidence-bucket': 'down' } as const;
  const name = 'evidence-bucket';
  expect(textsOf(bucket({}))).toEqual([expect.stringMatching(/^Guardar o mostrar evidencia falla/)]);
  expect(textsOf(bucket({ dependencies }))).toEqual(['El bucket de evidencia no responde a api']);
  expect(textsOf(bucket({ dependencies, refusedBy: [name] }))).toEqual([
    'El bucket de evidencia rechaza las credenciales de api',
  ]);
  const open = bucket({ dependencies, publicStores: [name] });
  const text = 'Cualquiera puede leer el bucket de evidencia: no atiende api';
  expect(textsOf(open)).toEqual([text]);
  // No api is ready: the canary meets none.
  expect(textsOf({ ...customer(cannot('create')), ...open })).toEqual([text]);
});

test('says of MongoDB what users see of it', () => {
  const api = (mongodb: 'down' | 'read-only', create: ActionReport) => ({
    ...tells('api', { actions: { create }, dependencies: { ...well.services[0]?.dependencies, mongodb } }),
    webhooks: undefined,
  });
  const served = { lastOk: NOW - 1_000, lastNotOk: NOW - 60_000 };
  for (const state of ['down', 'read-only'] as const) {
    expect(textsOf(api(state, served))).toEqual([
      'MongoDB no siempre responde a api; lo último que escribieron los usuarios se guardó',
    ]);
    for (const create of [{ lastOk: NOW - 6_000 }, { lastOk: NOW - 1_000, lastNotOk: NOW - 500 }, {}])
      expect(idsOf(api(state, create))).toContain(state === 'down' ? 'mongodb' : 'mongodb-read-only');
  }
  // Services without such users.
  const reached = { mongodb: 'down', redis: 'ok' } as const;
  expect(idsOf({ ...tells('api', { actions: { create: served } }), reached })).toEqual(['mongodb-unsteady']);
  expect(idsOf({ reached })).toEqual(['mongodb']);
  expect(idsOf({ services: without('api'), reached })).toEqual(['api', 'mongodb']);
  // An api by its own users: the other one has none now.
  const { services } = api('down', served);
  const idle = heartbeatOf('api', { id: 'idle' });
  expect(idsOf({ services: [...services, idle] })).toEqual(['mongodb-unsteady']);
});

/** What a customer meets while labels are not delivered, whatever the cause. */
const undelivered: Change = { oldestMs: 60_000, canary: { report: cannot('print'), silentMs: 0 } };
test.for<[string, Change, string[]]>([
  ['nobody prints', { ...undelivered, workers: [] }, ['no-workers']],
  ['the queue is paused', { ...undelivered, paused: true }, ['paused']],
  [
    'the Redis of the labels is away',
    { ...undelivered, ...reaches('api', { 'label-cache': 'down' }) },
    ['label-cache'],
  ],
  [
    'the Redis of the queue is full',
    { ...redis({ usedBytes: 1_001 }), ...undelivered, services: [], workers: [] },
    ['redis-read-only'],
  ],
  [
    'MongoDB is away',
    {
      ...undelivered,
      ...reaches('api', { mongodb: 'down', tariff: 'down' }),
      reached: { mongodb: 'down', redis: 'ok' },
      webhooks: undefined,
    },
    ['mongodb'],
  ],
  [
    'branches is away',
    {
      services: reaches('api', { branches: 'down' }).services.filter(({ service }) => service !== 'branches'),
    },
    ['branches'],
  ],
  ['the api is away', { services: without('api') }, ['api']],
  [
    'two causes are there',
    { ...undelivered, workers: [], ...reaches('api', { mongodb: 'down' }) },
    ['mongodb', 'no-workers'],
  ],
])('names the causes alone when %s', ([_, change, ids]) => {
  expect(idsOf(change)).toEqual(ids);
});

test('misses nobody until the processes can write again after an outage of Redis', () => {
  const change = { services: [heartbeatOf('branches')], workers: [] };
  const [line] = diagnose({ ...well, ...change }, { harmed: {}, redis: NOW - 3_000 });
  expect(line?.text).toBe(
    'El Redis de la cola acaba de volver: falta que den señales api, webhooks, label-worker',
  );
  expect(idsOf(change, { harmed: {}, redis: NOW - 16_000 })).toHaveLength(3);
  const { services } = fails('login', { notOk: 3, all: 3 });
  const without = services.filter(({ service }) => service !== 'webhooks');
  const lines = diagnose({ ...well, services: without }, { harmed: {}, redis: NOW - 3_000 });
  expect(lines).toMatchObject([{ section: 'redisdown', text: expect.stringMatching(/señales webhooks$/) }]);
  expect(idsOf({}, { harmed: {}, redis: NOW - 3_000 })).toEqual([]);
});

test.for<[string, Change]>([
  [
    'the disk of Redis is full',
    { ...redis({ writesFail: true }), reached: { mongodb: 'ok', redis: 'read-only' } },
  ],
  ['Redis is full', redis({ usedBytes: 1_001 })],
  ['Redis is a replica', redis({ replica: true })],
])('does not say that Redis is back while %s', ([_, change]) => {
  const silent = { ...change, services: [], workers: [] };
  expect(idsOf(silent, { harmed: {}, redis: NOW - 2_000 })).not.toContain('redis-returns');
});

test('says once which index is missing, why, and what is refused for it', () => {
  const of = { collection: 'manifests', isUnique: true };
  const missingIndexes = [
    { ...of, index: 'guides.number_1', duplicates: ['M1', 'M2'] },
    { ...of, index: 'key.id_1' },
    { collection: 'keys', index: 'digest_1', isUnique: true },
  ];
  const failing = fails('manifest', { notOk: 3, all: 3 }).services.map((one) =>
    one.service === 'api' ? { ...one, missingIndexes } : one,
  );
  expect(textsOf({ services: [...failing, heartbeatOf('api', { id: 'api-2', missingIndexes })] })).toEqual([
    'Falta el índice guides.number_1 de manifests en MongoDB, pues M1 y M2 repiten un valor: no se hacen manifiestos',
    'Falta el índice key.id_1 de manifests en MongoDB: no se hacen manifiestos',
    'Falta el índice digest_1 de keys en MongoDB',
  ]);
});

test('says how many processes of which service miss something', () => {
  const change = {
    ...withApi({ dependencies: { mongodb: 'down' } }),
    reached: { mongodb: 'down', redis: 'ok' },
  } as const;
  expect(textsOf(change)[0]).toBe('MongoDB no responde a api (1 de 2), dashboard');
});

test('figures are nearest-rank percentiles', () => {
  const labels = Array.from({ length: 200 }, (_, i) => ({ requested: 0, finished: i + 1 })).reverse();
  expect(latencyOf(labels)).toEqual({ labels: 200, p50: 100, p99: 198 });
  expect(latencyOf([])).toBeUndefined();
});

test('names an api whose settings have differed for longer than a rollout in one line', () => {
  const settings = (value: string) => ({ PUBLIC_URL: [value], RETENTION_DAYS: [value] });
  const startedAt = NOW - 1_000_000;
  const apis = ['a', 'b', 'odd'].map((id) =>
    heartbeatOf('api', { id, host: id, startedAt, settings: settings(id === 'odd' ? '2' : '1') }),
  );
  expect(textsOf({ services: [...without('api'), ...apis] })).toEqual([
    'El PUBLIC_URL (y RETENTION_DAYS) de api en odd, pid 1, no es el de 2 procesos de api',
  ]);
  const caches = apis.map((one, i) => ({ ...one, settings: { LABEL_CACHE_URL: [i === 2 ? '2' : '1'] } }));
  expect(textsOf({ services: [...without('api'), ...caches] })).toEqual([
    'El LABEL_CACHE_URL de api en odd, pid 1, no es el de 2 procesos de api: si no llevan al mismo Redis, algunas etiquetas tardan',
  ]);
});

test('says how far clocks are off, and which', () => {
  const { services = [], ...others } = wholeFleet(-3_600_000);
  const [api, ...rest] = services as [ServiceHeartbeat, ...ServiceHeartbeat[]];
  const wrong = [{ ...api, clockAheadMs: 7_200_000 }, ...rest];
  expect(textsOf({ ...others, services: wrong, mongoAheadMs: -3_600_000 })).toEqual([
    'El reloj de MongoDB va 1 h 0 min detrás del reloj del Redis de la cola',
    'El reloj de api en api, pid 1, va 3 h 0 min delante del de MongoDB',
  ]);
  // MongoDB was not asked.
  expect(textsOf({ ...tells('api', { clockAheadMs: 7_200_000 }), mongoAheadMs: undefined })).toEqual([
    'El reloj de api en api, pid 1, va 2 h 0 min delante del reloj del Redis de la cola',
  ]);
});

test('says of a process in another Redis what follows', () => {
  expect(textsOf({ elsewhere: [elsewhere('api'), elsewhere('api'), elsewhere('webhooks')] })).toEqual([
    'Un proceso de api (y 1 más), en otra, pid 8, usa otro Redis de la cola, u otro REDIS_PREFIX, y no ve ningún label-worker: no queda lista, o sus etiquetas responden 503',
    'Un proceso de webhooks, en otra, pid 8, usa otro Redis de la cola, u otro REDIS_PREFIX: este tablero no ve lo que pasa en él. Si es otra celda, le falta su CELL',
  ]);
  expect(textsOf({ services: [], workers: [], elsewhere: [elsewhere('api', true)] })).toEqual([
    'Este tablero usa otro Redis de la cola, u otro REDIS_PREFIX, que 1 proceso de api: no ve lo que pasa en él',
  ]);
});
