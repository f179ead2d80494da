import { Queue } from 'bullmq';
import { expect, onTestFinished } from 'vitest';
import type { OwnedProcess } from '#local/process/owned-process.ts';
import { startRedis } from '#local/programs/redis.ts';
import { LABEL_QUEUE } from '#shared/printing/label-job.ts';
import { Client, minimalGuide } from '#test/fixtures/client.ts';
import { passTime } from '#test/fixtures/pass-time.ts';
import { test } from '#test/fixtures/services.ts';
import { scrape } from '#test/fixtures/telemetry/metrics.ts';

/** Labels that are our 503 at once: nobody prints, or Redis is away. */

test('without a worker a label is 503 at once, and is printed when there is one', async ({
  startApi,
  startLabelWorker,
}) => {
  const api = await startApi();
  const demo = await Client.login(api.url);
  const [guide] = await demo.created(minimalGuide());
  const label = () => demo.get(`/api/guias/etiqueta/${guide?.SEND_GUIA}`);
  passTime(7_000); // until then a worker may be on its way, as in a rolling restart
  const { status, headers, body } = await label();
  expect([status, body.codigo]).toEqual([503, 'servicio_no_disponible']);
  expect(headers.get('retry-after')).toBe('2');
  expect(headers.get('etag')).toBeNull(); // it would name an error as a version of the label
  expect((await scrape(api.url)).get('label_failures_total{reason="no_worker"}')).toBe(1);
  await startLabelWorker();
  // Until the api has heard of the worker, it refuses more.
  await expect.poll(async () => (await label()).status).toBe(200);
});

test('while the queue is paused, labels are 503 at once', async ({ startApi, startLabelWorker, stores }) => {
  const REDIS_PREFIX = stores.prefix.replace('}', '-paused}');
  const queue = new Queue(LABEL_QUEUE, { connection: stores.redis, prefix: REDIS_PREFIX });
  onTestFinished(() => queue.close());
  const api = await startApi({ REDIS_PREFIX });
  await startLabelWorker({ REDIS_PREFIX });
  const demo = await Client.login(api.url);
  const guides = await demo.created(...Array.from({ length: 3 }, () => minimalGuide()));
  const [printed, first, second] = guides.map(({ SEND_GUIA }) => `/api/guias/etiqueta/${SEND_GUIA}`);
  expect((await demo.pdf(printed ?? '')).status).toBe(200);

  await queue.pause();
  passTime(7_001); // the api looks again: a label that waits in vain is 500 after ten seconds
  await expect.poll(async () => (await demo.pdf(first ?? '')).status).toBe(503);
  const { status, headers, body } = await demo.get(second ?? '');
  expect([status, body.codigo]).toEqual([503, 'servicio_no_disponible']);
  expect(headers.get('retry-after')).toBe('2');
  expect((await demo.pdf(printed ?? '')).status).toBe(200);

  await queue.resume();
  await expect.poll(async () => (await demo.pdf(second ?? '')).status).toBe(200);
});

test('each label that is 503 while Redis is away is counted', async ({ folder, startApi }) => {
  const redis = await startRedis({ folder, durable: false, log: () => {} });
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
  const counted = [...(await scrape(own.url))].filter(([name]) => name.startsWith('label_failures_total'));
  expect(counted.filter(([, count]) => count > 0)).toEqual([
    ['label_failures_total{reason="unavailable"}', 4],
  ]);
  const began = performance.now();
  await own.server.close();
  expect(performance.now() - began).toBeLessThan(5_000);
});
