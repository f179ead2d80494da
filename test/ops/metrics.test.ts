import { Queue } from 'bullmq';
import { expect, onTestFinished, vi } from 'vitest';
import { startRedis } from '#local/programs/redis.ts';
import { LABEL_QUEUE } from '#shared/printing/label-job.ts';
import { Client, minimalGuide } from '#test/fixtures/client.ts';
import { pretendWorker } from '#test/fixtures/labels/pretended-worker.ts';
import { printingTest as test } from '#test/fixtures/services.ts';
import { scrape } from '#test/fixtures/telemetry/metrics.ts';

/** Waits until the series has the value: the worker hears of a job's end a moment after the api. */
const becomes = (url: string, name: string, value: number) =>
  vi.waitFor(async () => expect((await scrape(url)).get(name)).toBe(value), { timeout: 30_000 });

test('a printed and a cached label are counted by both services', async ({ api, demo, labelWorker }) => {
  const [guide] = await demo.created(minimalGuide());
  const path = `/api/guias/etiqueta/${guide?.SEND_GUIA}`;
  expect((await demo.pdf(path)).status).toBe(200);
  expect((await demo.pdf(path)).status).toBe(200);

  const series = await scrape(api.url);
  expect(series.get('labels_wanted_total')).toBe(1);
  for (const source of ['printed', 'cache'])
    expect(series.get(`label_request_duration_seconds_count{source="${source}"}`)).toBe(1);
  const route = 'method="GET",route="/api/guias/etiqueta/:guia",status="200"';
  expect(series.get(`http_request_duration_seconds_count{${route}}`)).toBe(2);
  expect(series.get('label_queue_oldest_job_seconds')).toBe(0);
  expect(series.get('label_queue_jobs{state="waiting"}')).toBe(0);
  for (const dependency of ['redis', 'mongodb', 'branches'])
    expect(series.get(`dependency_up{dependency="${dependency}"}`)).toBe(1);

  await becomes(api.url, 'label_queue_workers', 1);

  await becomes(labelWorker.url, 'labels_printed_total', 1);
  const worker = await scrape(labelWorker.url);
  for (const phase of ['html', 'wait', 'document', 'print', 'split', 'store'])
    expect(worker.get(`label_phase_seconds_sum{phase="${phase}"}`), phase).toBeGreaterThan(0);
  expect(worker.get('label_batch_labels_sum')).toBe(1);
  expect(worker.get('chromium_starts_total{reason="start"}')).toBe(1);
  for (const of of ['prints', 'age_seconds', 'memory_bytes'])
    expect(worker.get(`chromium_${of}`), of).toBeGreaterThan(0);
  expect(worker.get('dependency_up{dependency="chromium"}')).toBe(1);
});

test('a label that no worker prints waits, and is counted as late', async ({ startApi, stores }) => {
  const REDIS_PREFIX = stores.prefix.replace('}', '-unprinted}');
  const end = await pretendWorker({ redis: stores.redis, prefix: REDIS_PREFIX });
  onTestFinished(end);
  const other = await startApi({ REDIS_PREFIX }, { label: 2_000 });
  const user = await Client.login(other.url);
  const [guide] = await user.created(minimalGuide());
  const label = user.get(`/api/guias/etiqueta/${guide?.SEND_GUIA}`);
  const jobs = async () => (await scrape(other.url)).get('label_queue_jobs{state="waiting"}');
  await expect.poll(jobs).toBe(1);
  await end();
  const waiting = await scrape(other.url);
  expect(waiting.get('label_queue_oldest_job_seconds')).toBeGreaterThan(0);
  expect(waiting.get('label_queue_workers')).toBe(0);
  expect((await label).status).toBe(500);
  const late = await scrape(other.url);
  expect(late.get('label_failures_total{reason="late"}')).toBe(1);
  expect(late.get('labels_wanted_total')).toBe(1);
});

test('a label that fails is counted with its reason', async ({ labelWorker, startApi }) => {
  // The tracking address is a setting of the api, and this one fits into no QR that scans.
  const long = `https://rastreo.example/${'x'.repeat(2_000)}{guia}`;
  const other = await startApi({ TRACKING_URL: long });
  const user = await Client.login(other.url);
  const [guide] = await user.created(minimalGuide());
  expect((await user.get(`/api/guias/etiqueta/${guide?.SEND_GUIA}`)).status).toBe(500);
  expect((await scrape(other.url)).get('label_failures_total{reason="failed"}')).toBe(1);
  const failed = 'label_job_failures_total{reason="label-unprintable"}';
  await becomes(labelWorker.url, failed, 1);
});

test('a queue that an operator pauses is said to be paused', async ({ api, stores }) => {
  const queue = new Queue(LABEL_QUEUE, { connection: stores.redis, prefix: stores.prefix });
  expect((await scrape(api.url)).get('label_queue_paused')).toBe(0);
  await queue.pause();
  expect((await scrape(api.url)).get('label_queue_paused')).toBe(1);
  await queue.resume();
  expect((await scrape(api.url)).get('label_queue_paused')).toBe(0);
  await queue.close();
});

test('figures of the queue that cannot be read are absent, not 0', async ({ folder, startApi }) => {
  const { url, close } = await startRedis({ folder, durable: false, log: () => {} });
  const own = await startApi({ REDIS_URL: url });
  const figures = async () =>
    [...(await scrape(own.url)).keys()].filter((name) => name.startsWith('label_queue_'));
  expect(await figures()).toContain('label_queue_workers');
  await close();
  expect(await figures()).toEqual([]);
});

test('no series holds a user name, a guide number or a path', async ({ api, demo }) => {
  const [guide] = await demo.created(minimalGuide());
  await demo.pdf(`/api/guias/etiqueta/${guide?.SEND_GUIA}`);
  await demo.get('/api/etc/passwd');
  const text = await (await fetch(`${api.url}/metrics`)).text();
  for (const secret of [guide?.SEND_GUIA ?? '', '"demo"', 'passwd']) expect(text).not.toContain(secret);
});
