import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Job, Queue, QueueEvents } from 'bullmq';
import { Redis } from 'ioredis';
import { pino } from 'pino';
import puppeteer from 'puppeteer-core';
import { afterAll, beforeAll, expect, inject, onTestFinished, test, vi } from 'vitest';
import { freePort } from '#local/process/free-port.ts';
import { buildLabelWorker } from '#services/label-worker/app.ts';
import { LabelWorkerConfig } from '#services/label-worker/config.ts';
import { loadConfig } from '#shared/config/load-config.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import { LabelCache, parseNews } from '#shared/labels/label-cache.ts';
import type { LabelPayload } from '#shared/labels/label-payload.ts';
import {
  LABEL_QUEUE,
  type LabelJob,
  type LabelJobResult,
  labelJobOptions,
  labelKey,
  toQueue,
} from '#shared/printing/label-job.ts';
import { DEADLINE_MS } from '#test/fixtures/deadline.ts';
import { readLabel } from '#test/fixtures/labels/label-pixels.ts';
import { label, mixedLabels } from '#test/fixtures/labels/labels.ts';

const prefix = `{t-${randomBytes(6).toString('hex')}}`;
const folder = mkdtempSync(join(tmpdir(), 'label-worker-'));
const pids = join(folder, 'pids');
const redis = new Redis(inject('redisUrl'), { maxRetriesPerRequest: null });
const queue = new Queue<LabelJob, LabelJobResult>(LABEL_QUEUE, { connection: redis, prefix });
queue.setMaxListeners(0); // `waitUntilFinished` adds one for each job
const cacheRedis = new Redis(inject('labelCacheUrl'));
const cache = new LabelCache(cacheRedis, prefix);
const eventsRedis = redis.duplicate();
const events = new QueueEvents(LABEL_QUEUE, { connection: eventsRedis, prefix });
/** All that the worker logs, at every level. */
const lines: string[] = [];
const written = new EventEmitter();
const log = pino({ level: 'trace' }, { write: (line) => written.emit('line', lines.push(line)) });
let worker: HttpServer;

/** While this file is there, no Chromium starts. */
const broken = join(folder, 'broken');
/** Where each Chromium of `worker` can be looked into. */
const debuggingPort = await freePort();

/** A Chromium that notes its process group: each line of `pids` is one that was started. */
function notingChromium(): string {
  const path = join(folder, 'chromium');
  // Only where it is driven: as a program that prints a page and ends, Chromium refuses the port.
  const port = `case "$*" in *remote-debugging-pipe*) set -- "$@" --remote-debugging-port=${debuggingPort};; esac`;
  const start = `[ ! -e '${broken}' ] && exec '${inject('chromiumPath')}' "$@"`;
  writeFileSync(path, `#!/bin/sh\necho $$ >> '${pids}'\n${port}\n${start}\n`);
  chmodSync(path, 0o755);
  return path;
}
const chromiums = () => readFileSync(pids, 'utf8').trim().split('\n').map(Number);
const lastChromium = () => chromiums().at(-1) ?? Number.NaN;

async function start(env: Record<string, string> = {}): Promise<HttpServer> {
  const config = loadConfig(LabelWorkerConfig, {
    REDIS_URL: inject('redisUrl'),
    LABEL_CACHE_URL: inject('labelCacheUrl'),
    REDIS_PREFIX: prefix,
    CHROMIUM_PATH: notingChromium(),
    ...env,
  });
  const server = await buildLabelWorker(config, log);
  await server.startup.done;
  return server;
}

/** Asks for a label, for which nobody waits. By default the worker does not look whether somebody does, however slow it is. */
function ask(payload: LabelPayload, askedAt = Date.now() + 60_000): Promise<Job<LabelJob, LabelJobResult>> {
  const key = labelKey(payload);
  const job = { key, label: payload, requestId: randomBytes(4).toString('hex') };
  return queue.add('label', job, { ...labelJobOptions(key, 1), timestamp: askedAt });
}
const bytesOf = (payload: LabelPayload) => cache.read(labelKey(payload));

/** Hears what the worker tells of a label, as an api process does that waits for it. */
async function subscribe(key: string) {
  const subscriber = cacheRedis.duplicate();
  onTestFinished(() => subscriber.disconnect());
  const told = once(subscriber, 'message').then(([, message]) => parseNews(message));
  await subscriber.subscribe(cache.channelOf(key));
  return { told };
}

let number = 482913650000;
/** A label that nobody asked for yet. */
const fresh = (): LabelPayload => label({ number: String(++number) });

beforeAll(async () => {
  await events.waitUntilReady();
  worker = await start();
});
afterAll(async () => {
  await worker.close();
  await events.close();
  await queue.obliterate({ force: true });
  await queue.close();
  eventsRedis.disconnect();
  cacheRedis.disconnect();
  await redis.quit();
  rmSync(folder, { recursive: true });
});

test('the label is in the cache, for an hour, when who waits for it is told', async () => {
  const one = fresh();
  const { told } = await subscribe(labelKey(one));
  const job = await ask(one);
  expect(await told).toEqual({ printed: labelKey(one) });
  const pdf = await bytesOf(one);
  const { bytes } = await job.waitUntilFinished(events, DEADLINE_MS);
  expect(pdf?.length).toBe(bytes);
  const life = await cacheRedis.ttl(cache.channelOf(labelKey(one)));
  expect(life).toBeGreaterThan(3_600 - 60);
  expect(life).toBeLessThanOrEqual(3_600);
  const [page] = await readLabel(pdf ?? Buffer.alloc(0));
  expect(page?.code128).toEqual([one.number]);
});

test('a label with marks is printed from where former workers do not look', async () => {
  const one = { ...fresh(), marks: [{ text: 'COBRAR $450.50' }] };
  const key = labelKey(one);
  const { told } = await subscribe(key);
  const { label: nowhere, ...data } = { ...toQueue({ key, label: one, requestId: 'a' }) };
  expect(nowhere).toBeUndefined();
  await queue.add('label', data as LabelJob, labelJobOptions(key, 1));
  expect(await told).toEqual({ printed: key });
  const [page] = await readLabel((await bytesOf(one)) ?? Buffer.alloc(0));
  expect(page?.text).toContain('COBRAR $450.50');
});

test('a label that was asked for in another look stands under the key of the look that it has', async () => {
  const one = fresh();
  const key = labelKey(one, 'another');
  const { told } = await subscribe(key);
  await queue.add('label', { key, label: one, requestId: 'a' }, labelJobOptions(key, 1));
  expect(await told).toEqual({ printed: labelKey(one) });
  expect(await cache.has([labelKey(one), key])).toEqual([true, false]);
});

test('a label that nobody waits for any more is not printed, and one that somebody waits for is', async () => {
  const [abandoned, wanted] = [fresh(), fresh()];
  await subscribe(labelKey(wanted));
  const longAgo = Date.now() - 5_000;
  const [gone, kept] = await Promise.all([ask(abandoned, longAgo), ask(wanted, longAgo)]);
  expect(await gone.waitUntilFinished(events, DEADLINE_MS)).toEqual({ bytes: 0, dropped: true });
  const { bytes } = await kept.waitUntilFinished(events, DEADLINE_MS);
  expect([await bytesOf(abandoned), (await bytesOf(wanted))?.length]).toEqual([null, bytes]);
});

test.for([
  ['ahead', 120_000],
  ['behind', -120_000],
] as const)(
  'a worker whose clock is two minutes %s drops what is old and unwanted, and nothing that is new',
  async ([, offMs]) => {
    const now = Date.now.bind(Date);
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => now() + offMs);
    onTestFinished(() => clock.mockRestore());
    const [old, young] = await Promise.all([ask(fresh(), now() - 5_000), ask(fresh(), now() + 60_000)]);
    expect(await old.waitUntilFinished(events, DEADLINE_MS)).toEqual({ bytes: 0, dropped: true });
    expect(await young.waitUntilFinished(events, DEADLINE_MS)).not.toHaveProperty('dropped');
  },
);

test('that a label was dropped, or has failed, is told when its job has ended, so that it can be asked for again', async () => {
  const [abandoned, bad] = [fresh(), { ...fresh(), trackingUrl: 'x'.repeat(5_000) }];
  for (const [payload, askedAt, news] of [
    [abandoned, Date.now() - 5_000, 'dropped'],
    [bad, Date.now(), 'failed'],
  ] as const) {
    // A pattern is no subscription of the channel: it does not count as one who waits.
    const subscriber = cacheRedis.duplicate();
    onTestFinished(() => subscriber.disconnect());
    await subscriber.psubscribe(`${prefix.replace(/[{}]/g, '?')}:label:${labelKey(payload)}`);
    const told = once(subscriber, 'pmessage');
    const job = await ask(payload, askedAt);
    expect((await told)[2]).toBe(news);
    expect(['completed', 'failed']).toContain(await job.getState());
  }
});

const signalChromium = (signal: NodeJS.Signals) => process.kill(-lastChromium(), signal);
const signalRenderers = (signal: NodeJS.Signals) => {
  const args = ['-g', String(lastChromium()), '-f', 'type=renderer'];
  const found = execFileSync('pgrep', args, { encoding: 'utf8' });
  for (const pid of found.trim().split('\n')) process.kill(Number(pid), signal);
};

/** Labels that Chromium was told to print so far. */
async function printsBegun(): Promise<number> {
  const { body } = await worker.inject('/metrics');
  return Number(/^label_phase_seconds_count\{.*phase="wait".*\} (\d+)$/m.exec(body)?.[1]);
}

test.each([
  ['is killed', signalChromium, 'SIGKILL'],
  ['has hanging renderers', signalRenderers, 'SIGSTOP'],
] as const)('a label whose Chromium %s while it prints is retried and delivered', async (_, signal, end) => {
  const one = fresh();
  const before = chromiums().length;
  const begun = await printsBegun();
  signal('SIGSTOP');
  const { told } = await subscribe(labelKey(one));
  const job = await ask(one);
  await vi.waitFor(async () => expect(await printsBegun()).toBe(begun + 1), 20_000);
  signal(end);
  const { bytes } = await job.waitUntilFinished(events, DEADLINE_MS);
  expect((await bytesOf(one))?.length).toBe(bytes);
  expect(chromiums()).toHaveLength(before + 1);
  expect((await queue.getJob(job.id ?? ''))?.attemptsMade).toBe(2);
  expect(await told).toEqual({ printed: labelKey(one) }); // nothing of the first attempt
});

/** Makes the worker's Chromium hide text from now on. */
async function hideText(): Promise<void> {
  const chromium = await puppeteer.connect({ browserURL: `http://127.0.0.1:${debuggingPort}` });
  const contexts = chromium.browserContexts();
  const pages = (await Promise.all(contexts.map((context) => context.pages()))).flat();
  for (const page of pages) await page.addStyleTag({ content: 'text { visibility: hidden }' });
  await chromium.disconnect();
}

test('a Chromium that hides text is replaced, and labels are stored with their text alone', async () => {
  const before = chromiums().length;
  await hideText();
  const labels = [fresh(), fresh(), fresh()];
  const jobs = await Promise.all(labels.map((one) => ask(one)));
  await Promise.all(jobs.map((job) => job.waitUntilFinished(events, DEADLINE_MS)));
  for (const one of labels) {
    const [page] = await readLabel((await bytesOf(one)) ?? Buffer.alloc(0));
    expect(page?.text).toContain('Luis Pérez Muñoz');
  }
  expect(chromiums()).toHaveLength(before + 1);
  expect(lines.join()).toContain('Chromium cannot print a label with its text');
});

test('a worker whose Chromium does not start is not ready and leaves the jobs to others, until it starts', async () => {
  const readiness = async () => (await worker.inject('/health/ready')).statusCode;
  writeFileSync(broken, '');
  const before = chromiums().length;
  signalChromium('SIGKILL');
  await vi.waitFor(() => expect(chromiums().length).toBeGreaterThan(before), 20_000);
  await vi.waitFor(async () => expect(await readiness()).toBe(503), 20_000);
  const jobs = await Promise.all(Array.from({ length: 5 }, () => ask(fresh())));
  const failed = chromiums().length + 3; // by the health check, or by jobs that were taken
  await vi.waitFor(() => expect(chromiums().length).toBeGreaterThanOrEqual(failed), 60_000);
  rmSync(broken);
  await Promise.all(jobs.map((job) => job.waitUntilFinished(events, DEADLINE_MS)));
  expect(await readiness()).toBe(200);
  // The worker may have waited for one job already when its Chromium ended.
  const attempts = await Promise.all(
    jobs.map(async ({ id = '' }) => (await queue.getJob(id))?.attemptsMade ?? 0),
  );
  expect(attempts.filter((count) => count > 1).length).toBeLessThanOrEqual(1);
});

test('labels that were in a print when Chromium died are printed by themselves', async () => {
  const single = async () => {
    const { body } = await worker.inject('/metrics');
    return Number(/^label_batch_labels_bucket\{le="1".*\} (\d+)$/m.exec(body)?.[1]);
  };
  const begun = await printsBegun();
  signalChromium('SIGSTOP');
  const jobs = await Promise.all(Array.from({ length: 20 }, () => ask(fresh())));
  // One print or two, by how soon the worker takes the jobs.
  await vi.waitFor(async () => expect(await printsBegun()).toBeGreaterThan(begun), 20_000);
  const before = await single();
  signalChromium('SIGKILL');
  await Promise.all(jobs.map((job) => job.waitUntilFinished(events, DEADLINE_MS)));
  const attempts = await Promise.all(jobs.map(async ({ id = '' }) => (await queue.getJob(id))?.attemptsMade));
  const again = attempts.filter((count) => count === 2).length;
  expect(again).toBeGreaterThan(0);
  expect((await single()) - before).toBeGreaterThanOrEqual(again);
});

test('the load is the labels in hand by the most that the worker takes at once', async () => {
  const load = async () => {
    const { body } = await worker.inject('/metrics');
    return Number(/^label_worker_load(?:\{.*\})? ([\d.]+)$/m.exec(body)?.[1]);
  };
  await vi.waitFor(async () => expect(await load()).toBe(0), 20_000);
  signalChromium('SIGSTOP');
  const jobs = await Promise.all([fresh(), fresh(), fresh()].map((one) => ask(one)));
  // Two prints of 25 labels, and as many ready to print.
  await vi.waitFor(async () => expect(await load()).toBe(0.03), 20_000);
  signalChromium('SIGCONT');
  await Promise.all(jobs.map((job) => job.waitUntilFinished(events, DEADLINE_MS)));
  await vi.waitFor(async () => expect(await load()).toBe(0), 20_000);
});

test('a label of a later release is printed without the fields that are new', async () => {
  const one = fresh();
  const newer = { Nuevo: { de: [1, null] } };
  const Destinatario = { ...one.guide.Destinatario, ...newer };
  const later = { ...one, ...newer, guide: { ...one.guide, Destinatario, ...newer } };
  await (await ask(later)).waitUntilFinished(events, DEADLINE_MS);
  const [page] = await readLabel((await bytesOf(later)) ?? Buffer.alloc(0));
  expect(page?.code128).toEqual([one.number]);
});

test('a label of an api of 1.9 is printed with the fields that stand beside it', async () => {
  const one: LabelPayload = { ...fresh(), route: 'R-12' };
  const { route, ...known } = one;
  const key = labelKey(one);
  const job = { key, label: known, newer: { route }, requestId: key } as LabelJob;
  const { told } = await subscribe(key);
  await queue.add('label', job, labelJobOptions(key, 1));
  expect(await told).toEqual({ printed: key });
  const [page] = await readLabel((await bytesOf(one)) ?? Buffer.alloc(0));
  expect(page?.text).toContain('R-12');
});

test.each([
  ['a payload that is none', { kind: 'letter' } as LabelPayload, 'payload-invalid'],
  ['no label', undefined as unknown as LabelPayload, 'payload-invalid'],
  ['a tracking address that no QR holds', label({ trackingUrl: 'x'.repeat(5_000) }), 'label-unprintable'],
])('%s fails at once, without a retry', async (_, payload, reason) => {
  const key = randomBytes(4).toString('hex');
  const job = await queue.add('label', { key, label: payload, requestId: key }, labelJobOptions(key, 1));
  await expect(job.waitUntilFinished(events, DEADLINE_MS)).rejects.toThrow(reason);
  expect((await queue.getJob(job.id ?? ''))?.attemptsMade).toBe(1);
});

test("a label that an operator's template cannot print fails with the template in the log", async () => {
  await worker.close();
  const own = await start({ LABEL_TEMPLATES: 'examples/templates/html' });
  try {
    const good = { ...fresh(), kind: 'medium' } as const;
    const { told } = await subscribe(labelKey(good));
    await ask(good);
    expect(await told).toEqual({
      printed: expect.stringMatching(new RegExp(`^${labelKey(good)}-[\\w-]{16}$`)),
    });
    const bad = { ...fresh(), kind: 'medium', trackingUrl: `https://a.example/${'x'.repeat(300)}` } as const;
    await expect((await ask(bad)).waitUntilFinished(events, DEADLINE_MS)).rejects.toThrow(
      'label-unprintable',
    );
    const message = expect.stringContaining('medium.hbs:64: The QR code of 318 characters needs modules');
    const template = 'examples/templates/html/medium.hbs';
    await vi.waitFor(() => {
      const logged = lines.map((line) => JSON.parse(line)).find(({ label: of }) => of === labelKey(bad));
      expect(logged).toMatchObject({ level: 50, template, err: { message } });
    }, 10_000);
  } finally {
    await own.close();
  }
});

test('closing finishes what prints, leaves what waits, and ends Chromium', async () => {
  await worker.close();
  const labels = mixedLabels(120).map((one) => ({ ...one, carrier: 'Cierre' }));
  const jobs = await Promise.all(labels.map((one) => ask(one)));
  const active = new Promise((resolve) => events.once('active', resolve));
  const another = await start({ PRINT_CONCURRENCY: '1' }); // takes 50 labels at once
  await active;
  await another.close();
  const states = await Promise.all(jobs.map((job) => job.getState()));
  expect(new Set(states)).toEqual(new Set(['completed', 'prioritized']));
  expect(() => process.kill(lastChromium(), 0)).toThrow('ESRCH');
  worker = await start();
  await Promise.all(jobs.map((job) => job.waitUntilFinished(events, DEADLINE_MS)));
});
