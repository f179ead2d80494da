import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Job, Queue, QueueEvents } from 'bullmq';
import { Redis } from 'ioredis';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest';
import { buildLabelWorker } from '#services/label-worker/app.ts';
import { LabelWorkerConfig } from '#services/label-worker/config.ts';
import { loadConfig } from '#shared/config/load-config.ts';
import {
  LABEL_QUEUE,
  type LabelJob,
  type LabelJobResult,
  type LabelPayload,
  labelJobOptions,
  labelKey,
} from '#shared/contracts/label-job.ts';
import { labelBytesKey } from '#shared/contracts/label-store.ts';
import { pageReservations, type Reservation } from '#shared/contracts/page-reservations.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import { readLabel } from '#test/fixtures/labels/label-pixels.ts';
import { label, mixedLabels } from '#test/fixtures/labels/labels.ts';

const prefix = `{t-${randomBytes(6).toString('hex')}}`;
const folder = mkdtempSync(join(tmpdir(), 'label-worker-'));
const pids = join(folder, 'pids');
const redis = new Redis(inject('redisUrl'), { maxRetriesPerRequest: null });
const queue = new Queue<LabelJob, LabelJobResult>(LABEL_QUEUE, { connection: redis, prefix });
queue.setMaxListeners(0); // `waitUntilFinished` adds one for each job
const eventsRedis = redis.duplicate();
const events = new QueueEvents(LABEL_QUEUE, { connection: eventsRedis, prefix });
/** All that the worker logs, at every level. */
const lines: string[] = [];
const written = new EventEmitter();
const log = pino({ level: 'trace' }, { write: (line) => written.emit('line', lines.push(line)) });
let worker: HttpServer;

/** A Chromium that notes its process group: each line of `pids` is one that was started. */
function notingChromium(): string {
  const path = join(folder, 'chromium');
  writeFileSync(path, `#!/bin/sh\necho $$ >> '${pids}'\nexec '${inject('chromiumPath')}' "$@"\n`);
  chmodSync(path, 0o755);
  return path;
}
const chromiums = () => readFileSync(pids, 'utf8').trim().split('\n').map(Number);
const lastChromium = () => chromiums().at(-1) ?? Number.NaN;

async function start(env: Record<string, string> = {}): Promise<HttpServer> {
  const config = loadConfig(LabelWorkerConfig, {
    REDIS_URL: inject('redisUrl'),
    REDIS_PREFIX: prefix,
    CHROMIUM_PATH: notingChromium(),
    PRINT_TIMEOUT_MS: '3000',
    ...env,
  });
  const server = await buildLabelWorker(config, log);
  await server.startup.done;
  return server;
}

function ask(payload: LabelPayload): Promise<Job<LabelJob, LabelJobResult>> {
  const nonce = randomBytes(4).toString('hex');
  return queue.add('label', { label: payload, requestId: nonce }, labelJobOptions(labelKey(payload), nonce));
}
const bytesOf = (payload: LabelPayload) => redis.getBuffer(labelBytesKey(prefix, labelKey(payload)));

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
  await redis.quit();
  rmSync(folder, { recursive: true });
});

test('the bytes are in Redis, for an hour, when the job completes', async () => {
  const one = fresh();
  const job = await ask(one);
  const { bytes } = await job.waitUntilFinished(events, 10_000);
  const pdf = await bytesOf(one);
  expect(pdf?.length).toBe(bytes);
  expect(await redis.ttl(labelBytesKey(prefix, labelKey(one)))).toBeGreaterThan(3_600 - 60);
  const [page] = await readLabel(pdf ?? Buffer.alloc(0));
  expect(page?.code128).toEqual([one.number]);
});

test('a label that was asked for in another look stands under the key of the look that it has', async () => {
  const one = fresh();
  const asked = labelKey(one, 'another');
  const job = await queue.add('label', { label: one, requestId: 'a' }, labelJobOptions(asked, 'a'));
  expect(await job.waitUntilFinished(events, 10_000)).toMatchObject({ key: labelKey(one) });
  expect(await redis.exists(labelBytesKey(prefix, labelKey(one)), labelBytesKey(prefix, asked))).toBe(1);
});

test('an api of release 1.1 finds the label under the key that it asked for', async () => {
  const one = fresh();
  const asked = labelKey(one).slice(0, 43);
  const job = await queue.add('label', { label: one, requestId: 'a' }, labelJobOptions(asked, 'b'));
  expect(await job.waitUntilFinished(events, 10_000)).not.toHaveProperty('key');
  expect(await redis.exists(labelBytesKey(prefix, asked))).toBe(1);
});

test('many concurrent labels are all delivered, each under its own key', async () => {
  const labels = mixedLabels(60);
  const jobs = await Promise.all(labels.map(ask));
  await Promise.all(jobs.map((job) => job.waitUntilFinished(events, 20_000)));
  for (const one of labels) {
    const pdf = (await bytesOf(one)) ?? Buffer.alloc(0);
    expect(execFileSync('pdfinfo', ['-'], { input: pdf, encoding: 'utf8' })).toContain(`Guía ${one.number}`);
  }
});

test('a label that nobody waits for any more is not printed, and one that somebody waits for is', async () => {
  const { reserve } = pageReservations(redis, prefix, 10_000);
  const { reservation } = await reserve('demo', 1, 300);
  const [abandoned, wanted] = [fresh(), fresh()];
  const askSince = (payload: LabelPayload, of: Reservation | undefined) => {
    const job = { label: payload, requestId: 'r', ...(of && { reservation: of }) };
    const options = labelJobOptions(labelKey(payload), randomBytes(4).toString('hex'));
    return queue.add('label', job, { ...options, timestamp: Date.now() - 5_000 });
  };
  const gone = await askSince(abandoned, { account: 'demo', id: '1 gone' });
  const kept = await askSince(wanted, reservation);
  expect(await gone.waitUntilFinished(events, 10_000)).toEqual({ bytes: 0, dropped: true });
  const { bytes } = await kept.waitUntilFinished(events, 10_000);
  expect([await bytesOf(abandoned), (await bytesOf(wanted))?.length]).toEqual([null, bytes]);
  expect((await worker.inject('/metrics')).body).toContain('labels_dropped_total 1');
});

test('a label whose deadline has passed is not printed', async () => {
  const { reserve } = pageReservations(redis, prefix, 1);
  const { reservation } = await reserve('demo', 1, 300);
  const one = fresh();
  const job = { label: one, requestId: 'r', ...(reservation && { reservation }) };
  const options = { ...labelJobOptions(labelKey(one), 'late'), timestamp: Date.now() - 5_000 };
  const late = await queue.add('label', job, options);
  expect(await late.waitUntilFinished(events, 10_000)).toEqual({ bytes: 0, dropped: true });
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
  ['loses its renderers', signalRenderers, 'SIGKILL'],
  ['hangs', signalChromium, 'SIGSTOP'],
  ['has hanging renderers', signalRenderers, 'SIGSTOP'],
] as const)('a label whose Chromium %s while it prints is retried and delivered', async (_, signal, end) => {
  const one = fresh();
  const before = chromiums().length;
  const begun = await printsBegun();
  signal('SIGSTOP');
  const job = await ask(one);
  await vi.waitFor(async () => expect(await printsBegun()).toBe(begun + 1), 5_000);
  signal(end);
  const { bytes } = await job.waitUntilFinished(events, 20_000);
  expect((await bytesOf(one))?.length).toBe(bytes);
  expect(chromiums()).toHaveLength(before + 1);
  expect((await queue.getJob(job.id ?? ''))?.attemptsMade).toBe(2);
});

test('the load is the labels in hand by the most that the worker takes at once', async () => {
  const load = async () => {
    const { body } = await worker.inject('/metrics');
    return Number(/^label_worker_load(?:\{.*\})? ([\d.]+)$/m.exec(body)?.[1]);
  };
  await vi.waitFor(async () => expect(await load()).toBe(0), 5_000);
  signalChromium('SIGSTOP');
  const jobs = await Promise.all([fresh(), fresh(), fresh()].map(ask));
  // PRINT_CONCURRENCY 2, BATCH_MAX_LABELS 25, and as many ready to print.
  await vi.waitFor(async () => expect(await load()).toBe(0.03), 2_000);
  signalChromium('SIGCONT');
  await Promise.all(jobs.map((job) => job.waitUntilFinished(events, 20_000)));
  await vi.waitFor(async () => expect(await load()).toBe(0), 5_000);
});

test('a Chromium that dies while nothing prints is replaced', async () => {
  const before = chromiums().length;
  signalChromium('SIGKILL');
  const one = fresh();
  await (await ask(one)).waitUntilFinished(events, 20_000);
  expect(await bytesOf(one)).not.toBeNull();
  expect(chromiums()).toHaveLength(before + 1);
});

test.each([
  ['a payload that is none', { kind: 'letter' } as LabelPayload, 'payload-invalid'],
  ['no label', undefined as unknown as LabelPayload, 'payload-invalid'],
  ['a tracking address that no QR holds', label({ trackingUrl: 'x'.repeat(5_000) }), 'label-unprintable'],
])('%s fails at once, without a retry', async (_, payload, reason) => {
  const nonce = randomBytes(4).toString('hex');
  const job = await queue.add('label', { label: payload, requestId: nonce }, labelJobOptions(nonce, nonce));
  await expect(job.waitUntilFinished(events, 10_000)).rejects.toThrow(reason);
  expect((await queue.getJob(job.id ?? ''))?.attemptsMade).toBe(1);
});

test('the log follows a label by request and key, and names no person', async () => {
  const one = fresh();
  const job = await ask(one);
  await job.waitUntilFinished(events, 10_000);
  const find = () => lines.find((line) => line.includes(job.data.requestId));
  // The queue tells us of the end before it tells the worker.
  while (!find()) await once(written, 'line');
  expect(JSON.parse(find() ?? '')).toMatchObject({ msg: 'A label was printed', label: labelKey(one) });
  expect(lines.join('')).not.toMatch(/Luis|Pérez|Juárez|8198765432|ejemplo\.mx/);
});

test('the worker is always live, and ready while Chromium and Redis answer', async () => {
  expect((await worker.inject('/health/live')).statusCode).toBe(200);
  const ready = await worker.inject('/health/ready');
  expect(ready.json()).toEqual({ status: 'ok', chromium: 'ok', redis: 'ok' });

  signalChromium('SIGSTOP');
  try {
    expect((await worker.inject('/health/live')).statusCode).toBe(200);
    // As soon as it missed a health check; after the next one it is replaced.
    const down = await vi.waitFor(
      async () => {
        const answer = await worker.inject('/health/ready');
        expect(answer.statusCode).toBe(503);
        return answer;
      },
      { timeout: 20_000, interval: 100 },
    );
    expect(down.json()).toMatchObject({ status: 'down', chromium: 'down', redis: 'ok' });
  } finally {
    signalChromium('SIGCONT');
  }
});

test("a label that an operator's template cannot print fails with the template in the log", async () => {
  await worker.close();
  const own = await start({ LABEL_TEMPLATES: 'examples/templates/html' });
  try {
    const good = { ...fresh(), kind: 'medium' } as const;
    const { key } = await (await ask(good)).waitUntilFinished(events, 10_000);
    expect(key).toMatch(new RegExp(`^${labelKey(good)}-[\\w-]{16}$`));
    const bad = { ...fresh(), kind: 'medium', trackingUrl: `https://a.example/${'x'.repeat(300)}` } as const;
    await expect((await ask(bad)).waitUntilFinished(events, 10_000)).rejects.toThrow('label-unprintable');
    const message = expect.stringContaining('medium.hbs: The QR code of 318 characters needs modules');
    const template = 'examples/templates/html/medium.hbs';
    await vi.waitFor(() => {
      const logged = lines.map((line) => JSON.parse(line)).find(({ label: of }) => of === labelKey(bad));
      expect(logged).toMatchObject({ level: 50, template, err: { message } });
    });
  } finally {
    await own.close();
    worker = await start();
  }
});

test('closing finishes what prints, leaves what waits, and ends Chromium', async () => {
  await worker.close();
  const labels = mixedLabels(20).map((one) => ({ ...one, carrier: 'Cierre' }));
  const jobs = await Promise.all(labels.map(ask));
  const active = new Promise((resolve) => events.once('active', resolve));
  const another = await start({ BATCH_MAX_LABELS: '2', PRINT_CONCURRENCY: '1' });
  await active;
  await another.close();
  const states = await Promise.all(jobs.map((job) => job.getState()));
  expect(new Set(states)).toEqual(new Set(['completed', 'waiting']));
  expect(() => process.kill(lastChromium(), 0)).toThrow('ESRCH');
  worker = await start();
  await Promise.all(jobs.map((job) => job.waitUntilFinished(events, 20_000)));
});
