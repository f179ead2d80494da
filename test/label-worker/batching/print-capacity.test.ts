import { cpus } from 'node:os';
import { afterEach, expect, test } from 'vitest';
import { LabelPrinter } from '#services/label-worker/batching/label-printer.ts';
import { CapacityMeter, processorUsage } from '#services/label-worker/batching/print-capacity.ts';
import type { Underlays } from '#services/label-worker/batching/print-underlays.ts';
import { DomainError } from '#shared/errors/domain-error.ts';
import { label } from '#test/fixtures/labels/labels.ts';

/** Of a full batch. */
const MAX_LABELS = 25;

const { now } = performance;
afterEach(() => {
  performance.now = now;
});

/** A worker in a time of its own, on a machine of which the other processes use a share that the test says. */
function simulatedWorker(slots: number) {
  let clock = 0;
  performance.now = () => clock;
  const processors = { used: 0, all: 0 };
  const thread = { used: 0, all: 0 };
  const meter = new CapacityMeter(slots, [() => ({ ...processors }), () => ({ ...thread })]);
  return {
    meter,
    pass(ms: number, used: { processors?: number; thread?: number } = {}) {
      clock += ms;
      processors.all += 4 * ms;
      processors.used += 4 * ms * (used.processors ?? 0);
      thread.all += ms;
      thread.used += ms * (used.thread ?? 0);
    },
    /** Prints for `printMs` of each second. */
    async work(
      seconds: number,
      labels: number,
      printMs: number,
      used?: { processors?: number; thread?: number },
    ) {
      for (let second = 0; second < seconds; second++) {
        await meter.measure(labels, MAX_LABELS, async () => this.pass(printMs, used));
        this.pass(1_000 - printMs, used);
      }
    },
  };
}

test.for([
  ['the print slots', { processors: 0.2, thread: 0.2 }, 500, 4_800],
  ['the processors of the machine', { processors: 0.8, thread: 0.2 }, 500, 1_500],
  ["the worker's own thread", { processors: 0.3, thread: 0.6 }, 500, 2_000],
  ['nothing more, if the machine is full', { processors: 1, thread: 0.2 }, 500, 1_200],
  ['nothing more, if the one slot always prints', { processors: 0.5 }, 1_000, 1_200, 1],
] as const)(
  'what a worker could print depends on what ends first: %s',
  async ([, used, printMs, mostPerMinute, slots = 2]) => {
    const worker = simulatedWorker(slots);
    worker.meter.capacity();
    await worker.work(60, 20, printMs, used);
    expect(worker.meter.capacity()).toEqual({
      perMinute: 1_200,
      mostPerMinute: expect.closeTo(mostPerMinute, 3),
      isLeast: false,
    });
  },
);

test.for([
  [9, true],
  [10, false],
] as const)(
  'with batches of %i labels of 25, what a worker could print is a least: %s',
  async ([labels, isLeast]) => {
    const worker = simulatedWorker(2);
    worker.meter.capacity();
    await worker.work(60, labels, 100);
    expect(worker.meter.capacity()).toMatchObject({ isLeast });
  },
);

test('the meter learns how many labels a print may have: fewer if they are of files', async () => {
  const limits: number[] = [];
  const printer = new LabelPrinter({
    underlays: {} as Underlays,
    printHtml: () => Promise.reject(new Error('not reached')),
    concurrency: 1,
    maxLabels: MAX_LABELS,
    meter: {
      async measure(_labels, mostLabels) {
        limits.push(mostLabels);
        throw new DomainError('browser-failed');
      },
    },
  });
  for (const behind of [true, false]) await expect(printer.print(label(), { behind })).rejects.toThrow();
  expect(limits).toEqual([12, MAX_LABELS]);
});

test('nothing is told in the first minute, nor of few labels, and an earlier minute is forgotten', async () => {
  const worker = simulatedWorker(2);
  worker.meter.capacity();
  await worker.work(59, 20, 500);
  expect(worker.meter.capacity()).toBeUndefined();
  await worker.work(1, 20, 500);
  expect(worker.meter.capacity()).toMatchObject({ perMinute: 1_200 });
  await worker.work(60, 10, 1_000);
  expect(worker.meter.capacity()).toMatchObject({ perMinute: 600, mostPerMinute: 1_200 });
  await worker.work(19, 1, 500);
  worker.pass(41_000);
  expect(worker.meter.capacity()).toBeUndefined();
  await worker.work(20, 1, 500);
  worker.pass(40_000);
  expect(worker.meter.capacity()).toMatchObject({ perMinute: 20 });
});

test('of a print that fails the time counts, but not the labels; of one that still runs, the time until now', async () => {
  const worker = simulatedWorker(2);
  worker.meter.capacity();
  await worker.work(30, 20, 1_000);
  const failed = worker.meter.measure(20, MAX_LABELS, async () => {
    worker.pass(20_000);
    throw new Error('Chromium fell');
  });
  await expect(failed).rejects.toThrow('Chromium fell');
  const end = Promise.withResolvers<void>();
  const running = worker.meter.measure(20, MAX_LABELS, () => end.promise);
  worker.pass(10_000);
  expect(worker.meter.capacity()).toMatchObject({ perMinute: 600, mostPerMinute: 1_200 });
  end.resolve();
  await running;
});

test('processors are used while they are not idle', () => {
  const [one] = cpus();
  const times = { user: 10, nice: 20, sys: 30, idle: 400, irq: 40 };
  const processors = [times, { ...times, idle: 900 }].map((times) => ({
    model: '',
    speed: 0,
    ...one,
    times,
  }));
  expect(processorUsage(processors)).toEqual({ used: 200, all: 1_500 });
});
