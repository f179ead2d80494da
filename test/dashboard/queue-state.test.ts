import { Queue, UnrecoverableError } from 'bullmq';
import { describe, expect } from 'vitest';
import { diagnose } from '#services/dashboard/diagnose.ts';
import type { Level } from '#services/dashboard/diagnoses/diagnosis.ts';
import { latencyOf } from '#services/dashboard/label-latency.ts';
import { type SystemState, systemStateReader } from '#services/dashboard/system-state.ts';
import { ActionCounts, type ActionSums, type MinuteCounts } from '#shared/actions/action-counts.ts';
import { USER_ACTIONS, type UserAction } from '#shared/actions/user-actions.ts';
import { createLogger } from '#shared/observability/logger.ts';
import { LABEL_QUEUE, labelJobOptions } from '#shared/printing/label-job.ts';
import { type ActionReport, aliveWorkers, type ServiceHeartbeat } from '#shared/stores/heartbeat.ts';
import type { Webhook } from '#shared/webhooks/webhook-model.ts';
import { WebhookStore } from '#shared/webhooks/webhook-store.ts';
import { test as dashboardTest } from '#test/fixtures/dashboard/dashboard.ts';
import { heartbeatOf } from '#test/fixtures/dashboard/fleet.ts';
import { Visitor } from '#test/fixtures/dashboard/visitor.ts';
import { label } from '#test/fixtures/labels/labels.ts';

const test = dashboardTest
  /** The page's text, once it says so. */
  .extend('pageThat', { scope: 'file' }, ({ operator }) => (says: RegExp) => {
    return operator.statusThat(says);
  })
  .extend('heartbeat', { scope: 'file' }, ({ services }) => (id: string, changes: object = {}) => {
    return services.keepAlive({ id, host: 'maquina', at: Date.now(), ...worker, chromium, ...changes });
  })
  /** A worker that lives until the last tests. Without it, what becomes of labels is no problem of its own. */
  .extend('printing', { scope: 'file', auto: true }, async ({ heartbeat }) => heartbeat('w-0'))
  .extend('gone', { scope: 'file' }, ({ services }) => (...ids: string[]) => {
    return Promise.all(ids.map((id) => services.remove(id)));
  });
const worker = { pid: 7, startedAt: Date.now() - 7_500_000, labels: 1_234, templates: {} };
const self = { service: 'dashboard', id: '', host: 'maquina', pid: 9, startedAt: 0 } as const;
const chromium = {
  state: 'running' as const,
  since: Date.now() - 125_000,
  prints: 98,
  memoryBytes: 400 * 1024 * 1024,
};
const NONE_FAILED = Object.fromEntries(
  USER_ACTIONS.map((action) => [action, { ok: 0, notOk: 0, minutes: [] }]),
) as unknown as SystemState['actions'];

describe('the status page', () => {
  test('counts webhooks that are behind, and those that were switched off', async ({ stores, pageThat }) => {
    await pageThat(/Atrasados más de 10 min<\/dt><dd class="">0</);
    const store = new WebhookStore(stores.mongo);
    const webhook = { account: 'demo', url: 'https://tienda.example/', description: '', cursor: 0 };
    const all = stores.mongo.collection<Webhook>('webhooks');
    const ids = [1, 2, 3, 4].map(async () => (await store.add(webhook, 'whsec_'))?._id ?? '');
    const [waits = '', forgotten = '', off = ''] = await Promise.all(ids);
    const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);
    await all.updateOne({ _id: waits }, { $set: { waitingSince: minutesAgo(11), dueAt: minutesAgo(-60) } });
    await all.updateOne({ _id: forgotten }, { $set: { dueAt: minutesAgo(11) } });
    const gone = { at: minutesAgo(600), reason: 'Respondio 410: ya no existe' };
    await all.updateOne({ _id: off }, { $set: { active: false, off: gone, waitingSince: minutesAgo(600) } });
    const text = await pageThat(/2 webhooks tienen eventos que esperan desde hace más de 10 min/);
    expect(text).toContain('1 webhook se apagó en las últimas 24 h');
    expect(text).toMatch(/Atrasados más de 10 min<\/dt><dd class="atencion">2</);
    expect(text).toContain('href="/runbook#webhooksbehind"');
    await all.deleteMany({});
  });

  test('knows how long a label waits that goes behind those of other accounts', async ({ stores }) => {
    const prefix = stores.prefix.replace('}', '-shares}');
    const queue = new Queue(LABEL_QUEUE, { connection: stores.redis, prefix });
    const behind = { ...labelJobOptions('behind', 100), timestamp: Date.now() - 9_000 };
    await queue.add('letter', { label: label(), requestId: 'pedido-2' }, behind);
    const webhooks = new WebhookStore(stores.mongo);
    const auditLog = { waiting: 0 };
    const sources = { redis: stores.redis, prefix, queue, webhooks, auditLog, self };
    const { waiting, oldestMs } = await systemStateReader(sources)(Promise.resolve({}));
    await queue.close();
    expect(waiting).toBe(1);
    expect(oldestMs).toBeGreaterThanOrEqual(9_000);
  });

  test('shows failures with time, reason, guide and request', async ({ jobs, pageThat }) => {
    await jobs.failed(label({ number: '482913650730' }), new Error('browser-failed'), 'pedido-uno');
    const last = await jobs.failed(
      label({ number: '482913650731' }),
      new UnrecoverableError('label-unprintable'),
    );
    const text = await pageThat(/Últimos fallos.*482913650731/);
    const [first = '', second = ''] = text.slice(text.indexOf('Últimos fallos')).split('<tr>').slice(2);
    expect(first).toContain('Los datos de la etiqueta no se pueden imprimir');
    expect(first).toContain('482913650731');
    expect(first).toContain(`/colas/queue/labels/${last.id}`);
    expect(second).toContain('Chromium falló o tardó demasiado');
    expect(second).toContain('pedido-uno');
    expect(second).toMatch(/>\d\d:\d\d:\d\d</);
    // An hour may end meanwhile.
    const hours = [60_000, 0].map((ago) =>
      new Date(Date.now() - ago - 6 * 3_600_000).toISOString().slice(11, 13),
    );
    const updated = /id="hora">(\d\d):\d\d:\d\d<\/span>, hora del centro de México/.exec(text);
    expect(hours).toContain(updated?.[1]);
    expect(text).not.toContain('UTC');
  });

  test('shows how long labels take', async ({ jobs, pageThat }) => {
    for (let i = 0; i < 4; i++)
      await jobs.waiting(label({ packages: i + 1 }), { askedAt: Date.now() - 60_000 });
    await jobs.work(4, async () => ({ bytes: 1 }));
    const text = await pageThat(/4 etiquetas de los últimos 5 min/);
    expect(text).toMatch(/Tardan \(mediana\)<\/dt><dd>1 min/);
    expect(text).toMatch(/Las etiquetas tardan: 4 de 4, más de 1 s en los últimos 5 min/);
  });

  test('says that workers live and do not print', async ({ gone, heartbeat, jobs, pageThat }) => {
    await heartbeat('w-1');
    await jobs.waiting(label({ number: '482913650734' }), { askedAt: Date.now() - 130_000 });
    const text = await pageThat(/Hay un problema/);
    expect(text).toMatch(
      /Los label-workers están vivos, pero no imprimen: hay etiquetas que esperan desde hace 2 min/,
    );
    await jobs.work(1, async () => ({ bytes: 0, dropped: true }));
    await jobs.waiting(label({ number: '482913650735' }), { askedAt: Date.now() - 190_000 });
    await pageThat(/pero no imprimen: hay etiquetas que esperan desde hace 3 min/);
    await jobs.work(1, async () => ({ bytes: 1 }));
    await jobs.waiting(label({ number: '482913650736' }), { askedAt: Date.now() - 250_000 });
    expect(await pageThat(/Hay etiquetas que esperan desde hace 4 min/)).not.toContain('no imprimen');
    await gone('w-1');
  });

  test('shows no text of an error, and escapes', async ({ gone, heartbeat, jobs, pageThat }) => {
    const hostile = '<script>alert(1)</script>"><img src=x onerror=alert(1)>';
    await jobs.failed(label(), new Error(hostile), hostile);
    await heartbeat('w-malo', { host: hostile });
    const text = await pageThat(/Error inesperado: búsquelo en el registro/);
    expect(text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(text).not.toContain('<img');
    expect(text).not.toContain('<script>alert');
    await gone('w-malo');
  });

  test('draws what became of labels in each minute of two hours', async ({ pageThat, stores }) => {
    const counts = new ActionCounts(stores.redis, stores.prefix, Date, createLogger('test', 'silent'));
    const hourAgo = Math.floor(Date.now() / 60_000) - 60;
    await stores.redis.set(`${stores.prefix}:label-count:printed:${hourAgo}`, 12_000);
    for (const outcome of ['printed', 'printed', 'limited'] as const) counts.countLabel(outcome);
    counts.count('print', 'refused');
    await counts.write();
    const text = await pageThat(/12,002 <small>hasta 12,000 por minuto/);
    expect(text).toMatch(/Impresas<\/dt><dd>12,002 /);
    expect(text).toMatch(/Con error<\/dt><dd>0 <small>hasta 0 por minuto/);
    expect(text).toMatch(/Rechazadas, 503 saturado<\/dt><dd>1 <small>hasta 1 por minuto/);
    // A full bar an hour ago, and now one of 2 that is as high as can be seen; nothing failed.
    // A minute may end meanwhile.
    expect(text).toMatch(/<path class="printed" d="M5[89] 30v-26.0h0.8v26.0zM11[89] 30v-3.0h0.8v3.0z"\/>/);
    expect(text).toContain('<path class="failed" d=""/>');
    expect(text).toMatch(/<path class="refused" d="M11[89] 90v-26.0h0.8v26.0z"\/>/);
    const rows = [...text.matchAll(/<th scope="row"[^>]*>([\d:]+)<\/th>(.*?)<\/tr>/g)];
    expect(rows).toHaveLength(12);
    const last = rows.at(-1)?.[2]?.replace(/<[^>]*>/g, ' ');
    expect(last?.trim().split(/ +/)).toEqual(['2', '0', '1', '1']);
  });
});

describe('a worker', () => {
  test('is shown with its Chromium while alive', async ({ jobs, pageThat, startLabelWorker, stores }) => {
    const real = await startLabelWorker();
    const dropped = label({ number: '482913650737' }); // nobody has waited for it for a minute
    await jobs.waiting(dropped, { askedAt: Date.now() - 60_000 });
    // Of a label older than a second a worker looks whether somebody waits, however slow the machine is.
    await jobs.waiting(label(), { askedAt: Date.now() + 60_000 });
    const text = await pageThat(/1 etiqueta de los últimos.*Etiquetas">1</);
    expect(text).toMatch(/Memoria">\d\d+ MiB/);
    expect(text).toMatch(/Impresiones">5</); // four at the start: the kinds' underlays
    expect(text).not.toContain('No hay ningún label-worker vivo');
    await real.server.close();
    const alive = await aliveWorkers(stores.redis, stores.prefix);
    expect(alive.map(({ id }) => id)).toEqual(['w-0']);
  });

  test('whose Chromium does not start is a problem', async ({ gone, heartbeat, pageThat }) => {
    const down = (state: 'starting' | 'failed', ms: number) => ({
      chromium: { state, since: Date.now() - ms, prints: 0 },
    });
    await heartbeat('w-1');
    await heartbeat('w-2', { host: 'otra-maquina', ...down('failed', 61_000) });
    await heartbeat('w-3', { host: 'la-que-cuelga', ...down('starting', 125_000) });
    await heartbeat('w-4', { host: 'la-que-empieza', ...down('starting', -60_000) });
    const text = await pageThat(/El Chromium de otra-maquina no arranca, desde hace 1 min/);
    expect(text).toMatch(/El Chromium de la-que-cuelga está arrancando, desde hace 2 min/);
    expect(text).not.toContain('El Chromium de la-que-empieza');
    await gone('w-1', 'w-2', 'w-3', 'w-4');
  });
});

describe('the status page without workers', () => {
  test('says that no worker prints, and shows since when labels wait', async ({ gone, jobs, pageThat }) => {
    await gone('w-0');
    await jobs.waiting(label(), { askedAt: Date.now() - 200_000 });
    await jobs.waiting(label({ kind: 'small' }));
    const text = await pageThat(/Hay un problema.*No hay ningún label-worker vivo: no se imprime nada/);
    expect(text).not.toContain('Hay etiquetas que esperan');
    expect(text).toMatch(/En espera<\/dt><dd>2</);
    expect(text).toMatch(/Espera más larga<\/dt><dd>3 min/);
    expect(text).toContain(`href="/runbook#noworkers"`);
    expect(text.indexOf('<h1')).toBeLessThan(text.indexOf('En espera'));
  });

  test('says when that has ended, also to a dashboard that was just started', async ({
    heartbeat,
    operator,
    pageThat,
    startDashboard,
  }) => {
    const seenFor = async () => {
      const text = await pageThat(
        /No hay ningún label-worker vivo: no se imprime nada<\/span> <small>desde las/,
      );
      const [begin, now] = [/desde las ([\d:]+)/, /id="hora">([\d:]+)/].map((time) => time.exec(text)?.[1]);
      return Math.abs(Date.parse(`2026-11-24T${now}Z`) - Date.parse(`2026-11-24T${begin}Z`));
    };
    // What one look alone has seen is not told afterwards.
    await expect.poll(seenFor, { timeout: 30_000 }).toBeGreaterThanOrEqual(2_000);
    await heartbeat('w-0');
    const told = /Terminó a las \d\d:\d\d, desde las \d\d:\d\d: No hay ningún label-worker vivo[^<]*/;
    const [line = ''] = told.exec(await pageThat(told)) ?? [];
    const { url } = await startDashboard();
    const other = Object.assign(new Visitor(url), { cookie: operator.cookie });
    expect(await other.statusThat(told)).toContain(line);
  });
});

describe('the list of problems', () => {
  const one = { id: 'w', host: 'maquina', at: Date.now(), ...worker, chromium };
  const minute = (counts: Partial<MinuteCounts>) => ({
    ...{ at: 0, printed: 0, failed: 0, refused: 0, limited: 0 },
    ...counts,
  });
  /** The process of a service tells something else of what it reaches. */
  const apart = (
    service: ServiceHeartbeat['service'],
    dependencies: ServiceHeartbeat['dependencies'],
  ): Partial<SystemState> => ({
    services: well.services.map((known) =>
      known.service === service
        ? { ...known, dependencies: { ...known.dependencies, ...dependencies } }
        : known,
    ),
  });
  const well: SystemState = {
    at: Date.now(),
    waiting: 3,
    active: 50,
    failed: 2,
    paused: false,
    oldestMs: 400,
    latency: { labels: 500, p50: 120, p99: 800, slow: 4, last: Date.now() },
    failures: [],
    minutes: [],
    actions: NONE_FAILED,
    self,
    workers: [one],
    services: [heartbeatOf('api'), heartbeatOf('branches'), heartbeatOf('webhooks')],
    reached: { mongodb: 'ok', redis: 'ok' },
    redis: {
      usedBytes: 100,
      maxBytes: 1_000,
      policy: 'noeviction',
      noeviction: true,
      replica: false,
      appendOnly: true,
      writesFail: false,
    },
    lost: [],
    webhooks: { active: 10_000, behind: 0, worst: undefined, disabled: 0, failing: undefined },
    auditWaiting: 0,
  };

  const lost = (service: string) => ({ service, host: 'maquina', pid: 7, forMs: 12_000 });
  const receivers = (count: number): SystemState['webhooks'] => ({
    ...{ active: 10_000, behind: 0, worst: undefined, disabled: 0 },
    failing: {
      count,
      worst: { account: 'tienda', host: 'tienda.example', forMs: 9_000, reason: 'Respondio 500' },
    },
  });
  const slow = (labels: number, slow: number): Partial<SystemState> => ({
    latency: { labels, p50: 120, p99: 5_000, slow, last: Date.now() },
  });
  /** An api tells that an action fails. */
  const failing = (
    action: UserAction,
    figures: Partial<ActionReport['failing']> & { notOk: number; all: number },
  ) => {
    const since = well.at - 25_000;
    const tail = { lastNotOk: Math.min(10, figures.notOk), lastAll: Math.min(10, figures.all) };
    const lastBegan = well.at - 1_000;
    const failing = { since, lastBegan, ...tail, codigo: 'servicio_no_disponible', ...figures };
    const actions = { [action]: { lastNotOk: well.at - 1_000, failing } };
    return { services: well.services.map((one) => (one.service === 'api' ? { ...one, actions } : one)) };
  };
  const sums = (
    action: UserAction,
    { minutes = [], ...sums }: Omit<ActionSums, 'minutes'> & Partial<ActionSums>,
  ) => ({
    ...NONE_FAILED,
    [action]: { ...sums, minutes },
  });
  /** The api tells that another service answers, and refuses its token. */
  const refused = (service: string): Partial<SystemState> => ({
    services: well.services.map((one) =>
      one.service === 'api'
        ? { ...one, refusedBy: [service], dependencies: { ...one.dependencies, [service]: 'down' } }
        : one,
    ),
  });
  const flood = (refused: number): Partial<SystemState> => ({
    services: [
      ...well.services,
      heartbeatOf('api', { id: 'api-2', limited: [{ account: 'otro', refused }] }),
    ],
  });

  test('is empty under load', () => {
    expect(diagnose(well)).toEqual([]);
    expect(diagnose({ ...well, oldestMs: undefined, latency: undefined })).toEqual([]);
  });

  // What a page shows by its own test stands there.
  test.each<[string, Partial<SystemState>, string, Level]>([
    ['a Redis that is nearly full', { redis: { ...well.redis, usedBytes: 801 } }, 'redisfull', 'grave'],
    ['a full Redis', { redis: { ...well.redis, usedBytes: 1_001 } }, 'redisrefuseswrites', 'grave'],
    ['a Redis that is a replica', { redis: { ...well.redis, replica: true } }, 'redisrefuseswrites', 'grave'],
    ['a Redis that drops jobs', { redis: { ...well.redis, noeviction: false } }, 'redismaydropjobs', 'grave'],
    ['a Redis that cannot write', { redis: { ...well.redis, writesFail: true } }, 'redisdisk', 'grave'],
    ['a hundredth of the labels that is slow', slow(500, 5), 'labelsslow', 'atencion'],
    ['labels that fail', failing('print', { notOk: 3, all: 3 }), 'labelsfail', 'grave'],
    ['MongoDB that takes no guides', apart('api', { mongodb: 'read-only' }), 'mongodown', 'grave'],
    ['a token that branches refuses', refused('branches'), 'secretsdiffer', 'grave'],
    ['MongoDB away from branches', apart('branches', { mongodb: 'down' }), 'mongodown', 'grave'],
    ['branches away from the api', apart('api', { branches: 'down' }), 'branchesdown', 'grave'],
    ['a queue that takes no jobs', apart('api', { redis: 'read-only' }), 'redisrefuseswrites', 'grave'],
    ['one of two apis that gives no sign', { lost: [lost('api')] }, 'servicedown', 'atencion'],
    ['a receiver that fails', { webhooks: receivers(1) }, 'webhooksbehind', 'nota'],
    ['receivers that fail among ten thousand', { webhooks: receivers(999) }, 'webhooksbehind', 'nota'],
    [
      'as many receivers as if we were at fault',
      { webhooks: receivers(1_001) },
      'webhooksbehind',
      'atencion',
    ],
    ['an account over its limit', flood(60), 'accountfloods', 'nota'],
    ['an action that the audit log lacks', { auditWaiting: 1 }, 'mongodown', 'nota'],
    ['figures of webhooks that are unknown', { webhooks: undefined }, 'mongodown', 'atencion'],
  ])('is %s', (_, change, section, level) => {
    expect(diagnose({ ...well, ...change })).toMatchObject([{ section, level }]);
  });

  test('is empty while an account reaches its limit now and then', () => {
    expect(diagnose({ ...well, ...flood(59), minutes: [minute({ printed: 10, limited: 59 })] })).toEqual([]);
  });

  test('names the account that floods, over all processes of the api', () => {
    const one = [{ account: 'otro', refused: 50 }];
    const two = [...one, { account: 'tienda', refused: 70 }];
    const services = [heartbeatOf('api', { limited: one }), heartbeatOf('api', { limited: two })];
    const notes = diagnose({ ...well, services: [...well.services, ...services] });
    expect(notes.map(({ text }) => text)).toEqual([
      'La cuenta otro pasa su límite: 100 de sus solicitudes recibieron 429 en el último minuto; cuentas que también lo pasan: 1',
    ]);
  });

  test('has no label that was slow, failed or was refused, among few of a quiet night', () => {
    expect(diagnose({ ...well, ...slow(20, 2) })).toEqual([]);
    expect(diagnose({ ...well, ...failing('print', { notOk: 2, all: 2 }) })).toEqual([]);
  });

  test('has no action of which one in a hundred fails', () => {
    const few = failing('create', { notOk: 9, all: 900, lastNotOk: 1, lastAll: 10 });
    expect(diagnose({ ...well, ...few, actions: sums('create', { ok: 891, notOk: 9 }) })).toEqual([]);
    const more = { ...few, actions: sums('create', { ok: 300, notOk: 9 }) };
    expect(diagnose({ ...well, ...more })).toMatchObject([{ id: 'create-fails' }]);
  });

  test('says where an action fails, since when, of how many, and how', () => {
    const [bad] = failing('create', { notOk: 12, all: 14 }).services ?? [];
    const second = heartbeatOf('api', {
      id: 'api-2',
      host: 'otra',
      actions: { create: { lastOk: Date.now() } },
    });
    const services = [...well.services, second].map((one) => (one.id === 'api' && bad ? bad : one));
    const much = sums('create', { ok: 100_000, notOk: 12 });
    expect(diagnose({ ...well, services, actions: much }).map(({ text }) => text)).toEqual([
      'Crear guías falla desde hace 25 s: 12 de 14 en api, uno de 2 procesos de api, la última: servicio_no_disponible',
    ]);
  });

  test('forgets an action that nobody has tried for ten minutes, and what began before a cause ended', () => {
    const lastBegan = well.at - 9_000;
    const state = { ...well, ...failing('create', { notOk: 12, all: 14, lastBegan }) };
    expect(diagnose(state)).toHaveLength(1);
    expect(diagnose({ ...state, at: state.at + 600_000 })).toEqual([]);
    expect(diagnose(state, { causes: { create: state.at - 8_000 }, redis: 0 })).toEqual([]);
    expect(diagnose(state, { causes: { create: state.at - 12_000 }, redis: 0 })).toHaveLength(1);
    expect(diagnose(state, { causes: { print: state.at }, redis: 0 })).toHaveLength(1);
  });

  test('knows what processes answered that are gone, until something succeeds after that minute', () => {
    const lastMinute = 60_000 * Math.floor(well.at / 60_000) - 120_000;
    const minutes = [
      { at: lastMinute - 60_000, notOk: 38 },
      { at: lastMinute, notOk: 2 },
    ];
    const state = { ...well, actions: sums('quote', { ok: 0, notOk: 40, minutes }) };
    expect(diagnose(state)).toMatchObject([
      { text: expect.stringMatching(/^Cotizar falla desde hace .*: 40 de 40 en media hora, en procesos/) },
    ]);
    const succeeds = (lastOk: number) => ({
      services: well.services.map((one) =>
        one.service === 'api' ? { ...one, actions: { quote: { lastOk } } } : one,
      ),
    });
    expect(diagnose({ ...state, ...succeeds(lastMinute) })).toHaveLength(1);
    expect(diagnose({ ...state, ...succeeds(lastMinute + 60_000) })).toEqual([]);
    // A living process has told of all but two.
    const lastNotOk = lastMinute - 1;
    const told = well.services.map((one) =>
      one.service === 'api' ? { ...one, actions: { quote: { lastNotOk } } } : one,
    );
    expect(diagnose({ ...state, services: told })).toEqual([]);
  });

  test('names the secret of a process that is not that of the others, and none that is being rotated', () => {
    const api = (id: string, JWT_SECRET: string[], startedAt = 2) =>
      heartbeatOf('api', { id, host: id, startedAt, settings: { JWT_SECRET } });
    const [others] = [well.services.filter(({ service }) => service !== 'api')];
    const among = (...apis: ServiceHeartbeat[]) =>
      diagnose({ ...well, services: [...others, ...apis] }).map(({ text }) => text);
    const wrong = /^El JWT_SECRET de api en c, pid 1, no es el de 2 procesos de api: /;
    expect(among(api('a', ['1']), api('b', ['1'], 3), api('c', ['2'], 1))).toEqual([
      expect.stringMatching(wrong),
    ]);
    expect(among(api('a', ['1'], 3), api('b', ['2'], 1))).toEqual([expect.stringMatching(/de api en a, /)]);
    expect(among(api('a', ['1', '2']), api('b', ['2']), api('c', ['2', '1']))).toEqual([]);
  });

  test('names a setting that differs, which is no secret', () => {
    const services = well.services.map((one) => ({ ...one, settings: { TIME_ZONE: ['1'] } }));
    const own = { ...self, settings: { TIME_ZONE: ['2'] } };
    expect(diagnose({ ...well, services, self: own })).toMatchObject([
      { level: 'atencion', section: 'secretsdiffer' },
    ]);
  });

  test('names what nobody tells of: of a release that tells nothing, nothing is known', () => {
    const services = well.services.map(({ dependencies, ...known }) => known);
    const texts = diagnose({ ...well, services }).map(({ text }) => text);
    expect(texts).toEqual([
      'El Redis de las etiquetas: no se sabe si responde, pues ningún proceso lo dice',
      'El servicio branches: no se sabe si responde, pues ningún proceso lo dice',
      'El servicio webhooks: no se sabe si responde, pues ningún proceso lo dice',
      'El registro de tarifas: no se sabe si responde, pues ningún proceso lo dice',
    ]);
  });

  /** What is seen while labels are not delivered, whatever the cause. */
  const undelivered = {
    oldestMs: 60_000,
    latency: { labels: 9, p50: 9_000, p99: 10_000, slow: 9, last: 0 },
  };
  test.for<[string, Partial<SystemState>, string[]]>([
    ['nobody prints', { ...undelivered, workers: [] }, ['no-workers']],
    ['the queue is paused', { ...undelivered, paused: true }, ['paused']],
    [
      'the Redis of the labels is away',
      { ...undelivered, ...apart('api', { 'label-cache': 'down' }) },
      ['label-cache'],
    ],
    [
      'the Redis of the queue is full',
      { redis: { ...well.redis, usedBytes: 1_001 }, ...undelivered, services: [], workers: [] },
      ['redis-read-only'],
    ],
    [
      'MongoDB is away',
      {
        ...undelivered,
        ...apart('api', { mongodb: 'down', tariff: 'down' }),
        reached: { mongodb: 'down', redis: 'ok' },
        webhooks: undefined,
      },
      ['mongodb'],
    ],
    [
      'branches is away',
      {
        services:
          apart('api', { branches: 'down' }).services?.filter(({ service }) => service !== 'branches') ?? [],
      },
      ['branches'],
    ],
    ['the api is away', { services: well.services.filter(({ service }) => service !== 'api') }, ['api']],
    [
      'two causes are there',
      { ...undelivered, workers: [], ...apart('api', { mongodb: 'down' }) },
      ['mongodb', 'no-workers'],
    ],
  ])('has the causes alone when %s', ([_, change, ids]) => {
    expect(diagnose({ ...well, ...change }).map(({ id }) => id)).toEqual(ids);
  });

  test('misses nobody until the processes can write again after an outage of Redis', () => {
    const state = { ...well, services: [heartbeatOf('branches')], workers: [] };
    expect(diagnose(state, { causes: {}, redis: state.at - 3_000 })).toMatchObject([
      { text: 'El Redis de la cola acaba de volver: falta que den señales api, webhooks, label-worker' },
    ]);
    expect(diagnose(state, { causes: {}, redis: state.at - 16_000 })).toHaveLength(3);
  });

  test('says how many processes of which service miss something', () => {
    const lost = { mongodb: 'down' } as const;
    const services = [...well.services, heartbeatOf('api', { id: 'api-2', dependencies: lost })];
    const [problem] = diagnose({ ...well, services, reached: { mongodb: 'down', redis: 'ok' } });
    expect(problem?.text).toBe('MongoDB no responde a api (1 de 2), dashboard');
  });
});

test('figures are nearest-rank percentiles', () => {
  const labels = Array.from({ length: 200 }, (_, i) => ({ asked: 0, finished: i + 1 })).reverse();
  expect(latencyOf(labels)).toEqual({ labels: 200, p50: 100, p99: 198, slow: 0, last: 200 });
  expect(latencyOf([])).toBeUndefined();
});
