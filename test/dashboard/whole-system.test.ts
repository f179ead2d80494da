import { Redis } from 'ioredis';
import { expect, vi } from 'vitest';
import { startRedis } from '#local/programs/redis.ts';
import { AuditStore } from '#shared/audit/audit-store.ts';
import { ACTIONS } from '#shared/rooms.ts';
import { startProxy } from '#test/faults/system/proxy.ts';
import { accessibilityFindings } from '#test/fixtures/axe.ts';
import { openTab, screenshot } from '#test/fixtures/browser.ts';
import { call, minimalGuide } from '#test/fixtures/client.ts';
import { Visitor } from '#test/fixtures/dashboard/visitor.ts';
import { startMongoProxy } from '#test/fixtures/mongo-proxy.ts';
import { passTime } from '#test/fixtures/pass-time.ts';
import { test as services } from '#test/fixtures/services.ts';

// The first test starts every service.
vi.setConfig({ testTimeout: 180_000 });

/** Tests with every service, on a Redis of the labels of the file's own; MongoDB is behind a proxy for the dashboard. */
const test = services
  .extend('labelCache', { scope: 'file' }, async ({ folder }, { onCleanup }) => {
    vi.stubEnv('LABEL_CACHE_URL', '');
    const { url, close } = await startRedis({ folder, durable: false, log: () => {}, role: 'label-cache' });
    const proxy = await startProxy(() => Number(new URL(url).port));
    const admin = new Redis(url);
    onCleanup(async () => {
      admin.disconnect();
      await proxy.close();
      await close();
    });
    return { url: `redis://127.0.0.1:${proxy.port}`, proxy, admin };
  })
  /** MongoDB for the api, with the collection to which it has lost its rights. */
  .extend('mongo', { scope: 'file' }, async ({ stores }, { onCleanup }) => {
    const lost = { collection: '' };
    const proxy = await startMongoProxy(stores.mongoUri, ({ insert }) =>
      insert === lost.collection ? 'not allowed' : 'done',
    );
    onCleanup(() => proxy.close());
    return { uri: proxy.uri, lost };
  })
  .extend('api', { scope: 'file' }, ({ startApi, webhooks, labelCache, mongo }) =>
    startApi({ WEBHOOKS_URL: webhooks.url, LABEL_CACHE_URL: labelCache.url, MONGODB_URI: mongo.uri }),
  )
  .extend('labelWorker', { scope: 'file' }, ({ startLabelWorker, labelCache }) =>
    startLabelWorker({ LABEL_CACHE_URL: labelCache.url }),
  )
  .extend('mongoProxy', { scope: 'file' }, async ({ stores }, { onCleanup }) => {
    const proxy = await startProxy(() => Number(new URL(stores.mongoUri).port));
    onCleanup(() => proxy.close());
    return proxy;
  })
  .extend('dashboard', { scope: 'file' }, ({ startDashboard, stores, mongoProxy }) =>
    startDashboard({ MONGODB_URI: atPort(stores.mongoUri, mongoProxy.port) }),
  )
  .extend('operator', { scope: 'file' }, ({ dashboard }) => Visitor.operator(dashboard.url))
  .extend('all', { scope: 'file', auto: true }, async ({ api, labelWorker }) => [api, labelWorker])
  /** The page, once the headline and the problems below it say so. */
  .extend('pageThat', { scope: 'file' }, ({ operator }) => {
    return (says: RegExp) => operator.statusThat(says, /<section class="titular.*?<\/section>/);
  });

const READY = { mongodb: 'ok', redis: 'ok' };

test('all is well: the page says what was looked at, as does the health of each service', async ({
  api,
  branches,
  labelWorker,
  webhooks,
  dashboard,
  pageThat,
}) => {
  const actions = Object.values(ACTIONS)
    .map(({ name }) => name)
    .join(', ');
  expect(await pageThat(/Todo bien/)).toContain(
    `Se miró: el cliente de prueba (1 entrada), api (1), branches (1), webhooks (1), label-worker (1) con su Chromium, MongoDB, el Redis de la cola, el Redis de las etiquetas, la lectura de las tarifas, las filas del directorio, la cola, qué se contestó en la última media hora (${actions}), los índices de MongoDB, que los procesos tengan los mismos secretos, los webhooks que fallan, atrasados o apagados, las recolecciones que nadie atiende, las cuentas que pasan su límite, a cuántas cuentas se rechaza por datos nuestros.`,
  );
  const ready = async ({ url }: { url: string }) => (await fetch(`${url}/health/ready`)).json();
  expect(await Promise.all([api, branches, labelWorker, webhooks, dashboard].map(ready))).toEqual([
    {
      ...{ status: 'ok', ...READY, 'label-cache': 'ok', branches: 'ok', webhooks: 'ok', tariff: 'ok' },
      'label-workers': 'ok',
      'self-test': 'ok',
    },
    { status: 'ok', ...READY, directory: 'ok' },
    { status: 'ok', redis: 'ok', 'label-cache': 'ok', chromium: 'ok' },
    { status: 'ok', ...READY },
    { status: 'ok', ...READY, 'label-cache': 'ok' },
  ]);
});

test('an api in another Redis than the label workers of its cell is named, and not ready', async ({
  stores,
  startApi,
  pageThat,
}) => {
  const registered = stores.mongo.collection('processes');
  await expect.poll(() => registered.countDocuments({ seesWorkers: true })).toBe(1);
  const prefixed = (name: string) => ({ REDIS_PREFIX: stores.prefix.replace('}', `-${name}}`) });
  const health = ({ url }: { url: string }) => call(`${url}/health/ready`);
  const wrong = await startApi(prefixed('otro'));
  expect(await health(wrong)).toMatchObject({ status: 503, body: { 'label-workers': 'down', redis: 'ok' } });
  // The first of a new cell, whose label workers come later.
  const first = await startApi({ ...prefixed('nueva'), CELL: 'nueva' });
  const degraded = { status: 'degraded', 'label-workers': 'down' };
  expect(await health(first)).toMatchObject({ status: 200, body: degraded });
  await pageThat(
    /Hay un problema.*Un proceso de api, en [^<]*, usa otro Redis de la cola, u otro REDIS_PREFIX, y no ve ningún label-worker: no queda lista, o sus etiquetas responden 503/s,
  );
  await wrong.server.close();
  await pageThat(/Todo bien/);
});

test('a Redis of the labels that refuses labels is told of', async ({ labelCache: { admin }, pageThat }) => {
  await admin.config('SET', 'maxmemory-policy', 'noeviction');
  await pageThat(
    /El Redis de las etiquetas las rechaza cuando está lleno: su maxmemory-policy es noeviction/,
  );
  await admin.config('SET', 'maxmemory', '1');
  await pageThat(/El Redis de las etiquetas rechaza escrituras de api, label-worker/);
  await admin.config('SET', 'maxmemory', '256mb');
  await admin.config('SET', 'maxmemory-policy', 'allkeys-lru');
  await pageThat(/Todo bien/);
});

// Faults without a diagnosis of their own: unlisted-faults.long.ts has more of them, under load.
test('a right that is lost, of events alone, is named by what users cannot do', async ({
  demo,
  mongo,
  pageThat,
}) => {
  const [guide] = await demo.created(minimalGuide());
  mongo.lost.collection = 'events';
  for (const _ of [1, 2, 3]) await demo.post(`/api/guias/${guide?.SEND_GUIA}/cancelar`, {});
  await pageThat(/Registrar eventos falla desde hace [^<]*: 3 de 3[^<]*, la última: error_interno/);
  mongo.lost.collection = '';
  passTime(1_800_000);
  await pageThat(/Todo bien/);
});

test('a service whose last process closes is missed', async ({ startWebhooks, pageThat, webhooks }) => {
  const other = await startWebhooks();
  await pageThat(/webhooks \(2\)/);
  await other.server.close();
  await pageThat(/Todo bien.*webhooks \(1\)/);
  await webhooks.server.close();
  const text = await pageThat(/Ningún proceso de webhooks da señales/);
  expect(text).not.toContain('El servicio webhooks no responde a api');
});

test('an open login page says that nobody can log in, and when that is over, and keeps what was typed', async ({
  browser,
  dashboard,
  mongoProxy,
}) => {
  const { page, failures } = await openTab(browser);
  await page.goto(`${dashboard.url}/entrar`);
  await page.locator('#usuario').fill('operaciones');
  const thaw = mongoProxy.freeze();
  await page.waitForSelector('::-p-text(MongoDB no responde al tablero: ahora nadie puede entrar)');
  await screenshot(page, 'dashboard-login-mongodb');
  expect(await accessibilityFindings(page)).toEqual([]);
  thaw();
  await page.waitForSelector('#caidos:not(:has(a))');
  expect(await page.$eval('#usuario', (input) => (input as unknown as { value: string }).value)).toBe(
    'operaciones',
  );
  expect(failures).toEqual([]);
  await page.close();
});

test('while MongoDB hangs, operators may pause the queue, and the audit log has it afterwards', async ({
  mongoProxy,
  operator,
  pageThat,
  startDashboard,
  stores,
}) => {
  // A process that was just started: it has never read the operator.
  const other = await startDashboard({ MONGODB_URI: atPort(stores.mongoUri, mongoProxy.port) });
  await pageThat(/Se miró/);
  const thaw = mongoProxy.freeze();
  passTime(6_000); // the process asks for the session's user again
  await pageThat(/MongoDB no responde a dashboard/);
  await operator.statusThat(/No se sabe: MongoDB no responde\./, /<h2>Webhooks.*?<\/section>/);
  expect((await operator.send('POST', '/pausar')).status).toBe(303);
  await pageThat(/La cola está en pausa: no se imprime nada/);
  await pageThat(/1 acción de este tablero espera a MongoDB para entrar en la bitácora/);
  expect((await operator.send('POST', '/reanudar')).status).toBe(303);

  const stranger = Object.assign(new Visitor(other.url), { cookie: operator.cookie });
  const unknown = await stranger.page('/');
  expect([unknown.status, unknown.text]).toEqual([
    503,
    expect.stringMatching(/<h1>MongoDB no responde al tablero<.*Su sesión sigue, pero este proceso/s),
  ]);

  passTime(1_800_000);
  expect((await operator.page('/')).status).toBe(503);
  thaw();
  await pageThat(/Terminó a las \d\d:\d\d, desde las \d\d:\d\d: MongoDB no responde a dashboard/);
  const trail = new AuditStore(stores.mongo);
  const buttons = async () =>
    (await trail.find({ user: 'operaciones' }, 100))
      .map(({ action }) => action)
      .filter((action) => /^queue/.test(action));
  await expect.poll(buttons, { timeout: 60_000 }).toEqual(['queue.resume', 'queue.pause']);
  expect((await stranger.page('/')).status).toBe(200);
});

function atPort(uri: string, port: number): string {
  return Object.assign(new URL(uri), { port: String(port) }).href;
}
