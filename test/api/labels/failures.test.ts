import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { Queue } from 'bullmq';
import { expect, onTestFinished, vi } from 'vitest';
import type { OwnedProcess } from '#local/process/owned-process.ts';
import { provideRedis } from '#local/programs/redis.ts';
import { type LabelOutcome, readLabelCounts } from '#shared/actions/action-counts.ts';
import { AuditStore } from '#shared/audit/audit-store.ts';
import { LABEL_QUEUE, type LabelJob } from '#shared/printing/label-job.ts';
import { Client, minimalGuide } from '#test/fixtures/client.ts';
import { pretendWorker } from '#test/fixtures/labels/pretended-worker.ts';
import { passTime } from '#test/fixtures/pass-time.ts';
import { test } from '#test/fixtures/services.ts';
import type { Stores } from '#test/fixtures/stores.ts';
import { scrape } from '#test/fixtures/telemetry/metrics.ts';

/** What became of labels in the last two hours, and in the next minute: after `passTime`, the service may be in it. */
async function totals({ redis, prefix }: Pick<Stores, 'redis' | 'prefix'>) {
  const minutes = await readLabelCounts(redis, prefix, Date.now() + 60_000);
  const sum = (outcome: LabelOutcome) => minutes.reduce((total, minute) => total + minute[outcome], 0);
  const [printed, failed] = [sum('printed'), sum('failed')];
  return { printed, failed, refused: sum('refused'), limited: sum('limited') };
}

test('without a worker a label is our 503 at once', async ({ startApi, startLabelWorker, stores }) => {
  const api = await startApi({}, { label: 2_000 });
  const demo = await Client.login(api.url);
  const [guide] = await demo.created(minimalGuide());
  const label = () => demo.get(`/api/guias/etiqueta/${guide?.SEND_GUIA}`);
  passTime(7_000); // until then a worker may be on its way, as in a rolling restart
  expect((await label()).status).toBe(503);

  const began = performance.now();
  const { status, headers, body } = await label();
  expect(performance.now() - began).toBeLessThan(1_500);
  expect(status).toBe(503);
  expect(headers.get('retry-after')).toBe('2');
  expect(headers.get('etag')).toBeNull(); // it would name an error as a version of the label
  expect(body.codigo).toBe('servicio_no_disponible');
  const refused = 'label_failures_total{reason="no_worker"}';
  expect((await scrape(api.url)).get(refused)).toBe(2);

  // The dashboard's picture has them.
  const counted = { printed: 0, failed: 2, refused: 0, limited: 0 };
  await expect.poll(() => totals(stores)).toEqual(counted);
  await startLabelWorker();
  // Until the api has heard of the worker, it refuses more.
  await expect.poll(async () => (await label()).status).toBe(200);
  await expect.poll(() => totals(stores)).toMatchObject({ printed: 1, refused: 0 });
});

test('while the queue is paused, labels are 503 at once', async ({ startApi, startLabelWorker, stores }) => {
  const REDIS_PREFIX = stores.prefix.replace('}', '-paused}');
  const queue = new Queue(LABEL_QUEUE, { connection: stores.redis, prefix: REDIS_PREFIX });
  onTestFinished(() => queue.close());
  // Until the api has heard of the pause, which takes a second, labels wait in vain.
  const api = await startApi({ REDIS_PREFIX }, { label: 3_000 });
  await startLabelWorker({ REDIS_PREFIX });
  const demo = await Client.login(api.url);
  const guides = await demo.created(...Array.from({ length: 4 }, () => minimalGuide()));
  const [printed, first, second, third] = guides.map(({ SEND_GUIA }) => `/api/guias/etiqueta/${SEND_GUIA}`);
  expect((await demo.pdf(printed ?? '')).status).toBe(200);

  await queue.pause();
  await expect.poll(async () => (await demo.pdf(first ?? '')).status, { timeout: 30_000 }).toBe(503);
  for (const path of [second, third]) {
    const began = performance.now();
    const { status, headers, body } = await demo.get(path ?? '');
    expect([status, body.codigo]).toEqual([503, 'servicio_no_disponible']);
    expect(headers.get('retry-after')).toBe('2');
    expect(performance.now() - began).toBeLessThan(2_500);
  }
  expect((await demo.pdf(printed ?? '')).status).toBe(200);

  await queue.resume();
  expect((await demo.pdf(second ?? '')).status).toBe(200);
});

/** What `/metrics` says of label requests without a label, by reason, where there are any. */
async function failures(url: string): Promise<Record<string, number>> {
  const found = [...(await scrape(url))].filter(([name]) => name.startsWith('label_failures_total'));
  return Object.fromEntries(
    found
      .filter(([, count]) => count > 0)
      .map(([name, count]) => [/reason="(\w+)"/.exec(name)?.[1] ?? '', count]),
  );
}

test('each label that is 503 while Redis is away is counted', async ({ folder, startApi }) => {
  const redis = await provideRedis({ folder, durable: false, log: () => {} });
  const own = await startApi({ REDIS_URL: redis.url });
  const demo = await Client.login(own.url);
  const guides = await demo.created(minimalGuide(), minimalGuide());
  const server = redis.processes[0] as OwnedProcess;
  server.kill('SIGKILL');
  await server.ended;
  const [first, second] = guides.map(({ SEND_GUIA }) => `/api/guias/etiqueta/${SEND_GUIA}`);
  const paths = [first, first, second, `${second?.replace('etiqueta', 'etiqueta-pequena')}`];
  const answers = await Promise.all(paths.map((path = '') => demo.get(path)));
  expect(answers.map(({ status }) => status)).toEqual([503, 503, 503, 503]);
  expect((await demo.get('/api/guias/etiqueta/000000000000')).status).toBe(404);
  expect(await failures(own.url)).toEqual({ unavailable: 4 });
  const began = performance.now();
  await own.server.close();
  expect(performance.now() - began).toBeLessThan(5_000);
});

test('a label of whose end no news came is delivered at the time limit', async ({ startApi, stores }) => {
  const REDIS_PREFIX = stores.prefix.replace('}', `-${randomUUID()}}`);
  onTestFinished(await pretendWorker({ redis: stores.redis, prefix: REDIS_PREFIX }));
  const queue = new Queue<LabelJob>(LABEL_QUEUE, { connection: stores.redis, prefix: REDIS_PREFIX });
  onTestFinished(() => queue.close());
  const own = await startApi({ REDIS_PREFIX }, { label: 4_000 });
  const demo = await Client.login(own.url);
  const [guide] = await demo.created(minimalGuide());
  const answer = demo.get(`/api/guias/etiqueta/${guide?.SEND_GUIA}`);
  await expect.poll(() => queue.getPrioritizedCount()).toBe(1);
  const [job] = await queue.getJobs(['prioritized']);
  await stores.cache.set(`${REDIS_PREFIX}:label:${job?.data.key}`, '%PDF-1.4');
  expect((await answer).status).toBe(200);
});

test('a client that leaves is 499, and no failure of ours', async ({ startApi, stores }) => {
  const REDIS_PREFIX = stores.prefix.replace('}', `-${randomUUID()}}`); // nobody prints its labels
  onTestFinished(await pretendWorker({ redis: stores.redis, prefix: REDIS_PREFIX }));
  const own = await startApi({ REDIS_PREFIX });
  const demo = await Client.login(own.url);
  const [guide] = await demo.created(minimalGuide());
  const leaving = request(`${own.url}/api/guias/etiqueta/${guide?.SEND_GUIA}`, {
    headers: { authorization: `Bearer ${demo.token}` },
  });
  leaving.on('error', () => {}).end();
  const waiting = async () => (await scrape(own.url)).get('label_queue_jobs{state="waiting"}');
  await expect.poll(waiting).toBe(1);
  leaving.destroy();
  const left =
    'http_request_duration_seconds_count{method="GET",route="/api/guias/etiqueta/:guia",status="499"}';
  await vi.waitFor(async () => expect((await scrape(own.url)).get(left)).toBe(1), { timeout: 10_000 });
  expect(await failures(own.url)).toEqual({});
});

test.for([
  // Whoever has the label already needs no printer.
  ['label.read-other', '/api/guias/etiqueta/', 304],
  ['guide.read-other', '/api/guias/', 200],
] as const)(
  '%s: of another account is recorded with who read it; of the own account not',
  async ([action, path, status], { api, demo, number, stores }) => {
    const trail = new AuditStore(stores.mongo);
    const read = (client: Client, id: string) =>
      client.get(path + number, { 'if-none-match': '*', 'x-request-id': id });
    expect((await read(demo, 'propia')).status).toBe(status);
    expect((await read(await Client.login(api.url, 'operaciones'), 'ajena')).status).toBe(status);
    expect((await read(await Client.login(api.url, 'otro'), 'prohibida')).status).toBe(404);
    const found = () => trail.find({ action }, 10);
    await vi.waitFor(async () => expect(await found()).not.toEqual([]), 5_000);
    const who = { actor: 'operaciones', account: 'operaciones', address: '127.0.0.1', service: 'api' };
    const what = { subject: 'demo', requestId: 'ajena', outcome: 'ok', details: { guide: number } };
    expect(await found()).toMatchObject([{ ...who, ...what }]);
  },
);
