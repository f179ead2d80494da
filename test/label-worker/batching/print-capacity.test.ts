import { Registry } from 'prom-client';
import { afterEach, expect, test } from 'vitest';
import { createLabelPrinter } from '#services/label-worker/batching/label-printer.ts';
import { PrintMeter } from '#services/label-worker/batching/print-capacity.ts';
import { PrintSlots } from '#services/label-worker/batching/print-slots.ts';
import type { Underlays } from '#services/label-worker/batching/print-underlays.ts';
import { WaitingList } from '#services/label-worker/batching/waiting-list.ts';
import { addCapacityGauge } from '#services/label-worker/metrics.ts';
import { DomainError } from '#shared/errors/domain-error.ts';
import { label } from '#test/fixtures/labels/labels.ts';

/** Of a full batch. */
const MAX_LABELS = 25;
/** What a print costs in ms of a core, and each of its pages. */
const [PRINT_MS, PAGE_MS] = [12, 4];
/** Of a core. */
const TRUE_MOST = (60_000 * MAX_LABELS) / (PRINT_MS + MAX_LABELS * PAGE_MS);

const closeTo = (value: number, off: number) =>
  expect.toSatisfy((one: number) => Math.abs(one - value) <= off, `${value} ± ${off}`);

const { now } = performance;
afterEach(() => {
  performance.now = now;
});

/** The slots and the queue of a worker whose prints share some cores, in a time of its own. */
function simulatedWorker(concurrency: number, cores = 1) {
  let clock = 0;
  performance.now = () => clock;
  const meter = new PrintMeter(concurrency);
  const slots = new PrintSlots(concurrency);
  const waiting = new WaitingList<{ pages: number; alone: boolean; place: number; kind: 'letter' }>(
    MAX_LABELS,
  );
  let places = 0;
  let running: { left: number; end: PromiseWithResolvers<void> }[] = [];
  const measure = (labels: number, print: () => Promise<void>) =>
    meter.measure({ labels, pages: labels, maxLabels: MAX_LABELS }, print);
  const fill = () => {
    while (slots.mayStart(waiting.size, false)) {
      const batch = waiting.takeBatch();
      const end = Promise.withResolvers<void>();
      const print = () => {
        running.push({ left: PRINT_MS + PAGE_MS * batch.length, end });
        return end.promise;
      };
      void slots.occupy(batch.length, false, () => measure(batch.length, print)).then(fill);
    }
  };
  return {
    meter,
    measure,
    ask() {
      waiting.add({ pages: 1, alone: false, place: places++, kind: 'letter' });
      fill();
    },
    async pass(ms: number) {
      clock += ms;
      for (const print of running) print.left -= ms * Math.min(1, cores / running.length);
      const ended = running.filter(({ left }) => left <= 0);
      if (ended.length === 0) return;
      running = running.filter(({ left }) => left > 0);
      for (const { end } of ended) end.resolve();
      await new Promise(setImmediate);
    },
  };
}

/** Asks for labels at a rate with gaps that a generator draws, the same in each run. */
async function work(
  worker: ReturnType<typeof simulatedWorker>,
  perMinute: number,
  seconds: number,
): Promise<void> {
  let seed = 7;
  const random = () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed / 2_147_483_647;
  };
  let due = 0;
  for (let at = 0; at < 1_000 * seconds; at++) {
    for (; due <= at; due += -Math.log(random()) * (60_000 / perMinute)) worker.ask();
    await worker.pass(1);
  }
}

test.for([
  [1, 1, 0.2],
  [1, 1, 0.5],
  [2, 1, 0.35],
  [2, 1, 0.9],
  [2, 1, 1.5],
  [2, 1.4, 0.35],
  [2, 2, 0.35],
  [2, 2, 0.8],
  [3, 2, 1.2],
] as const)(
  'with %i slots on %f cores, at %f of what it could print, a worker tells that to a tenth',
  async ([slots, cores, share]) => {
    const worker = simulatedWorker(slots, cores);
    const most = cores * TRUE_MOST;
    await work(worker, share * most, 100);
    const { mostPerMinute = 0, perMinute = 0, isLeast } = worker.meter.capacity() ?? {};
    expect([mostPerMinute / most, perMinute / most, isLeast]).toEqual([
      closeTo(1, 0.1),
      closeTo(Math.min(share, 1), 0.1),
      false,
    ]);
  },
);

test('a worker that never needed all of its slots tells what those could print that it needed', async () => {
  const worker = simulatedWorker(3, 2);
  await work(worker, 0.4 * 2 * TRUE_MOST, 100);
  const { mostPerMinute = 0, isLeast } = worker.meter.capacity() ?? {};
  expect([mostPerMinute / (2 * TRUE_MOST), isLeast]).toEqual([closeTo(1, 0.1), true]);
});

test('a worker that printed each label alone tells the least that it could print', async () => {
  const worker = simulatedWorker(2);
  for (let i = 0; i < 70; i++) {
    worker.ask();
    for (let ms = 0; ms < 1_000; ms++) await worker.pass(1);
  }
  expect(worker.meter.capacity()).toEqual({
    perMinute: expect.closeTo(60, 0),
    mostPerMinute: 60_000 / (PRINT_MS + PAGE_MS),
    isLeast: true,
  });
});

test.for<[files: number[], others: number[], perMs: number]>([
  [[12, 12, 12, 12, 5], [], 12 / 160],
  [[], [25, 10], 25 / 225],
  // As many labels of files as others: a full batch of files, and 12 of the 25 labels of another one.
  [[12], [5, 4, 3], 24 / (160 + (12 / 25) * 225)],
])(
  'of prints with %j labels of files, and %j others, a worker tells %f a ms',
  async ([files, others, perMs]) => {
    let clock = 0;
    performance.now = () => clock;
    const meter = new PrintMeter(1);
    const print = (labels: number, maxLabels: number) =>
      meter.measure({ labels, pages: labels, maxLabels }, async () => {
        clock += 100 + 5 * labels;
      });
    while (clock < 100_000) {
      for (const labels of files) await print(labels, 12);
      for (const labels of others) await print(labels, 25);
    }
    const { mostPerMinute = 0, isLeast } = meter.capacity() ?? {};
    expect([mostPerMinute / (60_000 * perMs), isLeast]).toEqual([closeTo(1, 0.001), false]);
  },
);

test('the meter learns how many labels a print may have: fewer if they are of files', async () => {
  const limits: number[] = [];
  const { print } = createLabelPrinter({
    underlays: {} as Underlays,
    printHtml: () => Promise.reject(new Error('not reached')),
    concurrency: 1,
    maxLabels: MAX_LABELS,
    meter: {
      async measure({ maxLabels }) {
        limits.push(maxLabels);
        throw new DomainError('browser-failed');
      },
    },
  });
  for (const behind of [true, false]) await expect(print(label(), { behind })).rejects.toThrow();
  expect(limits).toEqual([12, MAX_LABELS]);
});

test('nothing is told in the first minute of work, of a few prints, and when the last ones are forgotten', async () => {
  const worker = simulatedWorker(1);
  await work(worker, 300, 59);
  expect(worker.meter.capacity()).toBeUndefined();
  await work(worker, 300, 2);
  expect(worker.meter.capacity()).toBeDefined();
  for (let second = 0; second < 121; second++) await worker.pass(1_000);
  expect(worker.meter.capacity()).toBeUndefined();
  worker.ask();
  for (let second = 0; second < 70; second++) await worker.pass(1_000);
  expect(worker.meter.capacity()).toBeUndefined();
});

test('a print that fails counts as nothing', async () => {
  const worker = simulatedWorker(1);
  await work(worker, 300, 61);
  const before = worker.meter.capacity();
  await expect(worker.measure(25, () => Promise.reject(new Error('Chromium fell')))).rejects.toThrow();
  expect(worker.meter.capacity()).toEqual(before);
});

test.for([
  [{ perMinute: 60, mostPerMinute: 600, isLeast: false }, 10],
  [{ perMinute: 60, mostPerMinute: 600, isLeast: true }, undefined],
  [undefined, undefined],
] as const)('of %j the metric is %s', async ([capacity, value]) => {
  const registry = new Registry();
  addCapacityGauge(registry, { capacity: () => capacity });
  const figure = /^label_worker_capacity (\S+)$/m.exec(await registry.metrics());
  expect(figure && Number(figure[1])).toBe(value ?? null);
});
