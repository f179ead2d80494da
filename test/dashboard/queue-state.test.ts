import { Queue, UnrecoverableError } from 'bullmq';
import { describe, expect } from 'vitest';
import { diagnose } from '#services/dashboard/diagnostics.ts';
import { latencyOf, type QueueState, readQueueState } from '#services/dashboard/queue-state.ts';
import { LABEL_QUEUE, labelJobOptions } from '#shared/contracts/label-job.ts';
import {
  aliveWorkers,
  removeHeartbeat,
  type ServiceHeartbeat,
  writeHeartbeat,
} from '#shared/stores/heartbeat.ts';
import { LabelCounts, type MinuteCounts } from '#shared/stores/label-counts.ts';
import type { Webhook } from '#shared/stores/webhook-model.ts';
import { WebhookStore } from '#shared/stores/webhook-store.ts';
import { test as dashboardTest } from '#test/fixtures/dashboard/dashboard.ts';
import { heartbeatOf } from '#test/fixtures/dashboard/fleet.ts';
import { label } from '#test/fixtures/labels/labels.ts';

const test = dashboardTest
  /** The page's text, once it says so. */
  .extend('pageThat', { scope: 'file' }, ({ operator }) => (says: RegExp) => {
    return operator.statusThat(says);
  })
  .extend('heartbeat', { scope: 'file' }, ({ stores }) => (id: string, changes: object = {}) => {
    return writeHeartbeat(stores.redis, stores.prefix, {
      id,
      host: 'maquina',
      at: Date.now(),
      ...worker,
      chromium,
      ...changes,
    });
  });
const worker = { pid: 7, startedAt: Date.now() - 7_500_000, labels: 1_234, templates: {} };
const chromium = {
  state: 'running' as const,
  since: Date.now() - 125_000,
  prints: 98,
  memoryBytes: 400 * 1024 * 1024,
};
describe('the status page', () => {
  test('says first that no worker prints, and what waits since when', async ({ jobs, pageThat }) => {
    await jobs.waiting(label(), { askedAt: Date.now() - 200_000 });
    await jobs.waiting(label({ kind: 'small' }));
    const text = await pageThat(/Hay \d problemas/);
    expect(text).toContain('No hay ningún label-worker vivo: no se imprime nada');
    expect(text).toMatch(/Hay etiquetas que esperan desde hace 3 min/);
    expect(text).toMatch(/En espera<\/dt><dd>2</);
    expect(text).toMatch(/Espera más larga<\/dt><dd>3 min/);
    expect(text).toContain('href="/runbook#noworkers"');
    expect(text.indexOf('<h1')).toBeLessThan(text.indexOf('En espera'));
  });

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
    const sources = { redis: stores.redis, prefix, queue, webhooks, dependencies: new Map() };
    const { waiting, oldestMs } = await readQueueState(sources);
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
    const text = await pageThat(/2 etiquetas fallaron en los últimos 5 min/);
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
    expect(text).toMatch(/Las etiquetas tardan: una de cada cien, más de 1 min/);
  });

  test('says that workers live and do not print', async ({ heartbeat, jobs, pageThat, stores }) => {
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
    await removeHeartbeat(stores.redis, stores.prefix, { id: 'w-1' });
  });

  test('shows no text of an error, and escapes', async ({ heartbeat, jobs, pageThat, stores }) => {
    const hostile = '<script>alert(1)</script>"><img src=x onerror=alert(1)>';
    await jobs.failed(label(), new Error(hostile), hostile);
    await heartbeat('w-malo', { host: hostile });
    const text = await pageThat(/Error inesperado: búsquelo en el registro/);
    expect(text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(text).not.toContain('<img');
    expect(text).not.toContain('<script>alert');
    await removeHeartbeat(stores.redis, stores.prefix, { id: 'w-malo' });
  });

  test('draws what became of labels in each minute of two hours', async ({ pageThat, stores }) => {
    const counts = new LabelCounts(stores.redis, stores.prefix, Date);
    const hourAgo = Math.floor(Date.now() / 60_000) - 60;
    await stores.redis.set(`${stores.prefix}:label-count:printed:${hourAgo}`, 12_000);
    for (const outcome of ['printed', 'printed', 'refused', 'limited'] as const) counts.count(outcome);
    await counts.write();
    const text = await pageThat(/12,002 <small>hasta 12,000 por minuto/);
    expect(text).toMatch(/Impresas<\/dt><dd>12,002 /);
    expect(text).toMatch(/Con error 500<\/dt><dd>0 <small>hasta 0 por minuto/);
    expect(text).toMatch(/Rechazadas, 503<\/dt><dd>1 <small>hasta 1 por minuto/);
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
    expect(text).toContain('Workers vivos: 1');
    expect(text).toMatch(/Memoria">\d\d+ MiB/);
    expect(text).toMatch(/Impresiones">5</); // four at the start: the kinds' underlays
    expect(text).not.toContain('No hay ningún label-worker vivo');
    await real.server.close();
    expect(await aliveWorkers(stores.redis, stores.prefix)).toEqual([]);
    await pageThat(/Workers vivos: 0/);
  });

  test('whose Chromium does not start is a problem', async ({ heartbeat, pageThat, stores }) => {
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
    expect(text).toContain('Workers vivos: 4');
    for (const id of ['w-1', 'w-2', 'w-3', 'w-4']) await removeHeartbeat(stores.redis, stores.prefix, { id });
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
  ): Partial<QueueState> => ({
    services: well.services.map((known) =>
      known.service === service
        ? { ...known, dependencies: { ...known.dependencies, ...dependencies } }
        : known,
    ),
  });
  const well: QueueState = {
    at: Date.now(),
    waiting: 3,
    active: 50,
    failed: 2,
    paused: false,
    oldestMs: 400,
    latency: { labels: 500, p50: 120, p99: 800, last: Date.now() },
    recentFailures: 0,
    failures: [],
    minutes: [],
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
    webhooks: { behind: 0, disabled: 0 },
  };

  test('is empty under load', () => {
    expect(diagnose(well)).toEqual([]);
    expect(diagnose({ ...well, oldestMs: undefined, latency: undefined })).toEqual([]);
  });

  // What a page shows by its own test stands there.
  test.each<[string, Partial<QueueState>, string, boolean]>([
    ['a Redis that is nearly full', { redis: { ...well.redis, usedBytes: 801 } }, 'redisfull', true],
    ['a full Redis', { redis: { ...well.redis, usedBytes: 1_001 } }, 'redisrefuseswrites', true],
    ['a Redis that is a replica', { redis: { ...well.redis, replica: true } }, 'redisrefuseswrites', true],
    ['a Redis that drops jobs', { redis: { ...well.redis, noeviction: false } }, 'redismaydropjobs', true],
    ['a Redis that cannot write', { redis: { ...well.redis, writesFail: true } }, 'redisdisk', true],
    ['a refused label of many', { minutes: [minute({ printed: 999, refused: 1 })] }, 'labelsrefused', false],
    ['many refused labels', { minutes: [minute({ printed: 980, refused: 20 })] }, 'labelsrefused', true],
    ['a label that was late', { minutes: [minute({ failed: 1 })] }, 'labelsfail', false],
    ['MongoDB away from branches', apart('branches', { mongodb: 'down' }), 'mongodown', true],
    ['branches away from the api', apart('api', { branches: 'down' }), 'branchesdown', true],
    ['a queue that takes no jobs', apart('api', { redis: 'read-only' }), 'redisrefuseswrites', true],
    ['figures of webhooks that are unknown', { webhooks: undefined }, 'mongodown', false],
  ])('is %s', (_, change, section, grave) => {
    expect(diagnose({ ...well, ...change })).toMatchObject([{ section, grave }]);
  });

  test('is empty while an account is over its limit', () => {
    expect(diagnose({ ...well, minutes: [minute({ printed: 10, limited: 336 })] })).toEqual([]);
  });

  test('forgets what was refused six minutes ago', () => {
    const minutes = [minute({ refused: 336 }), ...Array.from({ length: 5 }, () => minute({ printed: 9 }))];
    expect(diagnose({ ...well, minutes })).toEqual([]);
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

  test('names the cause above what it causes', () => {
    const sections = diagnose({
      ...well,
      ...apart('api', { redis: 'read-only', 'label-cache': 'down', branches: 'down' }),
      redis: { ...well.redis, usedBytes: 1_001 },
      workers: [],
      oldestMs: 60_000,
      minutes: [minute({ refused: 20 })],
    }).map(({ section }) => section);
    expect(sections).toEqual([
      'redisrefuseswrites',
      'redisdown',
      'branchesdown',
      'noworkers',
      'labelswait',
      'labelsrefused',
    ]);
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
  expect(latencyOf(labels)).toEqual({ labels: 200, p50: 100, p99: 198, last: 200 });
  expect(latencyOf([])).toBeUndefined();
});
