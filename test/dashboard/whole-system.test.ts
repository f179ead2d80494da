import { Redis } from 'ioredis';
import { expect, vi } from 'vitest';
import { provideRedis } from '#local/programs/redis.ts';
import { startProxy } from '#test/faults/system/proxy.ts';
import { minimalGuide } from '#test/fixtures/client.ts';
import { Visitor } from '#test/fixtures/dashboard/visitor.ts';
import { passTime } from '#test/fixtures/pass-time.ts';
import { test as services } from '#test/fixtures/services.ts';

// The first test starts every service.
vi.setConfig({ testTimeout: 180_000 });

/** Tests with every service, on a Redis of the labels of the file's own; MongoDB is behind a proxy for the dashboard. */
const test = services
  .extend('labelCache', { scope: 'file' }, async ({ folder }, { onCleanup }) => {
    vi.stubEnv('LABEL_CACHE_URL', '');
    const { url, close } = await provideRedis({ folder, durable: false, log: () => {}, role: 'label-cache' });
    const proxy = await startProxy(() => Number(new URL(url).port));
    const admin = new Redis(url);
    onCleanup(async () => {
      admin.disconnect();
      await proxy.close();
      await close();
    });
    return { url: `redis://127.0.0.1:${proxy.port}`, proxy, admin };
  })
  .override('api', { scope: 'file' }, ({ startApi, webhooks, labelCache }) =>
    startApi({ WEBHOOKS_URL: webhooks.url, LABEL_CACHE_URL: labelCache.url }),
  )
  .override('labelWorker', { scope: 'file' }, ({ startLabelWorker, labelCache }) =>
    startLabelWorker({ LABEL_CACHE_URL: labelCache.url }),
  )
  .extend('mongoProxy', { scope: 'file' }, async ({ stores }, { onCleanup }) => {
    const proxy = await startProxy(() => Number(new URL(stores.mongoUri).port));
    onCleanup(() => proxy.close());
    return proxy;
  })
  .override('dashboard', { scope: 'file' }, ({ startDashboard, stores, mongoProxy }) =>
    startDashboard({
      MONGODB_URI: Object.assign(new URL(stores.mongoUri), { port: String(mongoProxy.port) }).href,
    }),
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
  expect(await pageThat(/Todo bien/)).toContain(
    'Se miró: api (1), branches (1), webhooks (1), label-worker (1) con su Chromium, MongoDB, el Redis de la cola, el Redis de las etiquetas, la lectura de las tarifas, la cola, las solicitudes de etiquetas de los últimos 5 min, los webhooks atrasados o apagados.',
  );
  const ready = async ({ url }: { url: string }) => (await fetch(`${url}/health/ready`)).json();
  expect(await Promise.all([api, branches, labelWorker, webhooks, dashboard].map(ready))).toEqual([
    { status: 'ok', ...READY, 'label-cache': 'ok', branches: 'ok', webhooks: 'ok', tariff: 'ok' },
    { status: 'ok', ...READY },
    { status: 'ok', redis: 'ok', 'label-cache': 'ok', chromium: 'ok' },
    { status: 'ok', ...READY },
    { status: 'ok', ...READY },
  ]);
});

test("without the labels' Redis nothing is well", async ({ api, demo, labelCache, pageThat, stores }) => {
  const [guide] = await demo.created(minimalGuide());
  const label = async () => (await demo.pdf(`/api/guias/etiqueta/${guide?.SEND_GUIA}`)).status;
  const thaw = labelCache.proxy.freeze();
  await expect.poll(label, { timeout: 30_000 }).toBe(503);
  const text = await pageThat(/El Redis de las etiquetas no responde a api, label-worker/);
  expect(text).toMatch(/titular mal/);
  await pageThat(/solicitud(es)? de etiquetas? rechazadas? con 503 en los últimos 5 min/);
  const ready = await fetch(`${api.url}/health/ready`);
  expect([ready.status, await ready.json()]).toMatchObject([
    200,
    { status: 'degraded', 'label-cache': 'down', redis: 'ok' },
  ]);
  thaw();
  await expect.poll(label, { timeout: 30_000 }).toBe(200);
  await pageThat(/^(?!.*El Redis de las etiquetas).*con 503/);
  // What was refused, failed or late is told of for five minutes.
  const ended = ['completed', 'failed'].map((state) => `${stores.prefix}:labels:${state}`);
  await stores.redis.del(...ended, ...(await stores.redis.keys(`${stores.prefix}:label-count:*`)));
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

test('a service whose last process closes is missed', async ({ startWebhooks, pageThat, webhooks }) => {
  const other = await startWebhooks();
  await pageThat(/webhooks \(2\)/);
  await other.server.close();
  await pageThat(/Todo bien.*webhooks \(1\)/);
  await webhooks.server.close();
  await pageThat(/Ningún proceso de webhooks da señales.*El servicio webhooks no responde a api/);
});

test('while MongoDB hangs, operators may pause the queue', async ({ mongoProxy, operator, pageThat }) => {
  await pageThat(/Se miró/);
  const thaw = mongoProxy.freeze();
  passTime(6_000); // the process asks for the session's user again
  const text = await pageThat(/MongoDB no responde a dashboard/);
  expect(text).toContain('No se sabe: MongoDB no responde.');
  expect((await operator.send('POST', '/pausar')).status).toBe(303);
  await pageThat(/La cola está en pausa: no se imprime nada/);
  expect((await operator.send('POST', '/reanudar')).status).toBe(303);
  passTime(1_800_000);
  expect((await operator.page('/')).status).toBe(503);
  thaw();
  await pageThat(/^(?!.*MongoDB no responde)/);
});
