import { UnrecoverableError } from 'bullmq';
import { describe, expect } from 'vitest';
import { AuditStore } from '#shared/audit/audit-store.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import { test as dashboardTest } from '#test/fixtures/dashboard/dashboard.ts';
import { Visitor } from '#test/fixtures/dashboard/visitor.ts';
import { label } from '#test/fixtures/labels/labels.ts';

/** Every route of the server, as `GET /colas/api/queues/:queueName`, read from the router's own tree. */
function routesOf(server: HttpServer): string[] {
  const path: string[] = [];
  return server
    .printRoutes()
    .split('\n')
    .flatMap((line) => {
      const [, indent = '', text = '', methods] = /^([│ ]*)[├└]── (\S+)(?: \((.*)\))?$/.exec(line) ?? [];
      path.splice(indent.length / 4, Number.POSITIVE_INFINITY, text);
      return methods ? methods.split(', ').map((method) => `${method} ${path.join('')}`) : [];
    });
}
const test = dashboardTest
  /** Bull Board's API as JSON. */
  .extend('board', { scope: 'file' }, ({ operator }) => async (path: string) => {
    const { status, text } = await operator.send('GET', `/colas/api${path}`);
    return { status, body: JSON.parse(text) };
  })
  .extend('counts', { scope: 'file' }, ({ labelJobs }) => () => {
    return labelJobs.queue.getJobCounts('waiting', 'prioritized', 'failed', 'completed', 'delayed');
  });

describe('without a session', () => {
  const OPEN =
    /^(GET|HEAD) \/(health\/(live|ready)|metrics|runbook|recursos\/[\w.]+)$|^\w+ \/(entrar|salir)$/;

  test('only the login pages, assets, the runbook, health and metrics answer', async ({ dashboard }) => {
    const nobody = new Visitor(dashboard.url);
    const closed = routesOf(dashboard.server).filter((route) => !OPEN.test(route));
    expect(closed.length).toBeGreaterThan(60);
    expect(closed).toContain('GET /colas/static/*');
    expect(closed).toContain('PUT /colas/api/queues/:queueName/:jobId/retry');
    expect(closed).toContain('POST /pausar');
    for (const route of closed) {
      const [method = '', pattern = ''] = route.split(' ');
      const path = pattern.replace(':queueName', 'labels').replace(/:\w+/g, 'x').replace('*', 'js/main.js');
      const { status } = await nobody.send(method, path);
      expect(`${route} ${status}`).toBe(`${route} 401`);
    }
  });
});

describe('requests that another origin makes a browser send', () => {
  test.for([
    ['another site', { 'sec-fetch-site': 'cross-site' }, 403],
    ['another site, over plain http', { 'sec-fetch-site': '', origin: 'http://malo.example' }, 403],
    ['nowhere', { 'sec-fetch-site': '', origin: 'null' }, 403],
    ['ourselves', { 'sec-fetch-site': 'same-origin' }, 303],
  ] as const)('from %s', async ([_, headers, status], { jobs, operator }) => {
    const answer = await operator.send('POST', '/pausar', { headers });
    expect(answer.status).toBe(status);
    expect(await jobs.queue.isPaused()).toBe(status === 303);
  });

  test('cannot log anyone in or out', async ({ dashboard, operator }) => {
    const visitor = new Visitor(dashboard.url);
    const foreign = { 'sec-fetch-site': 'cross-site' };
    const { status, headers, text } = await visitor.login('operaciones', 'demo1234', foreign);
    expect(status).toBe(403);
    expect(text).toContain('La solicitud no viene de este tablero');
    expect(headers.getSetCookie()).toEqual([]);
    expect((await operator.send('POST', '/salir', { headers: foreign })).status).toBe(403);
    expect((await operator.page('/')).status).toBe(200);
  });
});

describe('personal data', () => {
  /** Words that are nowhere but in the guide. */
  const TELLING = ['Zoraida', 'Quetzalli', 'Xochiapa', '5598761234', 'zq@ejemplo.mx', 'Obsidiana', 'ZQX'];
  const telling = label({
    carrier: 'Envíos ZQX',
    recipient: {
      Nombre: 'Zoraida Quetzalli',
      Calle: 'Av. Xochiapa',
      Celular: '5598761234',
      Email: 'zq@ejemplo.mx',
      Referencias: 'Casa Obsidiana',
    },
  });
  const all = JSON.stringify(telling);

  test('is in no answer, in whatever state the job is', async ({ dashboard, jobs, operator }) => {
    const done = await jobs.waiting(telling, { requestId: 'pedido-hecho' });
    await jobs.work(1, async (job) => {
      await job.log(all);
      await job.updateProgress({ of: all });
      return { bytes: 4711, of: all };
    });
    const failed = await jobs.failed(
      telling,
      new Error(`no sirve: ${all}\n    at ${all}\n${all}`),
      'pedido-mal',
    );
    const strange = await jobs.queue.add(all, telling, { jobId: 'raro', priority: 3 });
    const delayed = await jobs.waiting({ ...telling, number: '482913650725' }, { delay: 3_600_000 });
    const waiting = await jobs.waiting({ ...telling, number: '482913650726' });

    const paths = [
      '/',
      '/metrics',
      ...['active', 'waiting', 'prioritized', 'completed', 'failed', 'delayed', 'latest'].map(
        (status) => `/colas/api/queues?activeQueue=labels&status=${status}&page=1&jobsPerPage=50`,
      ),
      ...routesOf(dashboard.server).flatMap((route) => {
        const [method, pattern = ''] = route.split(' ');
        if (method !== 'GET') return [];
        const path = pattern.replace(':queueName', 'labels');
        return [done, failed, strange, delayed, waiting].map(({ id = '' }) => path.replace(':jobId', id));
      }),
    ];
    let text = '';
    for (const path of new Set(paths)) text += (await operator.send('GET', path)).text;
    for (const word of TELLING) expect(text).not.toContain(word);
    // What is meant to be there is.
    for (const word of [telling.number, 'MTY01', 'pedido-hecho', 'pedido-mal', '4711', 'Error inesperado']) {
      expect(text).toContain(word);
    }
  });

  test('is left out, and the ids that trace a label are kept', async ({ board, jobs }) => {
    const { id } = await jobs.failed(telling, new Error('browser-failed'), 'pedido-4711');
    const { job, status } = (await board(`/queues/labels/${id}`)).body;
    expect(status).toBe('failed');
    expect(job).toMatchObject({
      name: 'Etiqueta carta',
      data: {
        guia: telling.number,
        tipo: 'carta',
        paquetes: 1,
        servicio: 'Domicilio',
        origen: 'MEX01',
        destino: 'MTY01',
        solicitud: 'pedido-4711',
      },
      failedReason: 'Chromium falló o tardó demasiado',
    });
    expect(job.stacktrace[0]).toMatch(/^Chromium falló o tardó demasiado\n {4}at .*board\.test\.ts:\d+/s);
  });
});

test('a job whose workers all died says how often', async ({ board, jobs }) => {
  const error = new UnrecoverableError('job stalled more than allowable limit');
  const { id } = await jobs.failed(label(), error);
  const { job } = (await board(`/queues/labels/${id}`)).body;
  expect(job.failedReason).toBe('El worker que la imprimía se detuvo, tres veces');
});

describe('the operator on call', () => {
  test('can pause and resume printing, and the page says so at once', async ({ jobs, operator }) => {
    expect((await operator.page('/')).text).toContain('<a href="/pausar">');
    expect((await operator.page('/pausar')).text).toContain('No se imprime ninguna etiqueta');
    expect((await operator.send('POST', '/pausar')).headers.get('location')).toBe('/');
    expect(await jobs.queue.isPaused()).toBe(true);
    const { text } = await operator.page('/');
    expect(text).toContain('La cola está en pausa');
    expect(text).toContain('<form method="post" action="/reanudar">');
    expect((await operator.send('POST', '/reanudar')).headers.get('location')).toBe('/');
    expect(await jobs.queue.isPaused()).toBe(false);
    expect((await operator.page('/')).text).not.toContain('La cola está en pausa');
  });

  test('can change no job in Bull Board, whose page knows it', async ({ board, counts, jobs, operator }) => {
    const failed = await jobs.failed(label(), new Error('browser-failed'));
    const waiting = await jobs.waiting(label({ carrier: 'Antes' }));
    const queue = '/colas/api/queues/labels';
    const actions = [
      ...['PUT /colas/api/queues/pause', 'PUT /colas/api/queues/resume', `PATCH ${queue}/JOB/update-data`],
      ...[`POST ${queue}/add`, `PATCH ${queue}/JOB/delay`, `PATCH ${queue}/JOB/priority`],
      ...['pause', 'resume', 'retry/failed', 'promote', 'clean/failed', 'empty', 'obliterate'].map(
        (action) => `PUT ${queue}/${action}`,
      ),
      ...['concurrency', 'rate-limit', 'rate-limit/release', 'JOB/retry', 'JOB/clean', 'JOB/promote'].map(
        (action) => `PUT ${queue}/${action}`,
      ),
      `PUT ${queue}/JOB/remove-unprocessed-children`,
      `GET ${queue}/workers`,
      'GET /colas/api/redis/stats',
    ];
    const before = await counts();
    for (const action of actions) {
      for (const { id = '' } of [failed, waiting]) {
        const [method = '', path = ''] = action.replace('JOB', id).split(' ');
        expect(`${action} ${(await operator.send(method, path)).status}`).toBe(`${action} 403`);
      }
    }
    expect(await counts()).toEqual(before);
    expect(await jobs.queue.isPaused()).toBe(false);
    expect((await board('/queues?activeQueue=labels')).body.queues).toMatchObject([
      { readOnlyMode: true, allowRetries: false },
    ]);
  });

  test('cannot request an unbounded page', async ({ board }) => {
    expect((await board('/queues?activeQueue=labels&jobsPerPage=100000')).status).toBe(400);
  });
});

test('who pauses and resumes the queue is recorded', async ({ operator, stores }) => {
  const trail = new AuditStore(stores.mongo);
  const since = new Date();
  for (const path of ['/pausar', '/reanudar']) {
    await operator.send('POST', path);
    await new Visitor(operator.url).send('POST', path);
  }
  await operator.page('/pausar');
  const who = { actor: 'operaciones', address: '127.0.0.1', service: 'dashboard', outcome: 'ok' };
  expect((await trail.find({ since }, 10)).reverse()).toMatchObject([
    { action: 'queue.pause', ...who },
    { action: 'queue.resume', ...who },
  ]);
});
