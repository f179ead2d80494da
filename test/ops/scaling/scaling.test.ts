import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type KubernetesObject, readObjects } from '../kubernetes/kubernetes.ts';
import { type ScaledObject, SYNC_S } from './autoscaler.ts';
import { type Moment, play, type Scenario, START_S, WORKER_LABELS_PER_S } from './fleet.ts';
import { parseQuery, type Series } from './promql.ts';

/** The label workers follow the load: k8s/production/scaling.yaml, played by a model of KEDA, the autoscaler and a fleet. */

const MINUTE = 60;
const HOUR = 3_600;
const scaledObject = readObjects('production/scaling.yaml').find(({ kind }) => kind === 'ScaledObject')
  ?.spec as unknown as ScaledObject;
type Monitor = KubernetesObject & { spec: { podMetricsEndpoints: { interval: string }[] } };
const [monitor] = readObjects('monitoring/pod-monitor.yaml') as Monitor[];
/** How often our own Prometheus scrapes, in seconds. */
const SCRAPE_S = Number.parseInt(monitor?.spec.podMetricsEndpoints[0]?.interval ?? '', 10);

const run = (scenario: Omit<Scenario, 'scaledObject'>) =>
  play({ scrapeS: SCRAPE_S, ...scenario, scaledObject });
/** Seconds between two moments where nothing quick is looked at. */
const COARSE_S = 5;
/** A load that comes by chance, as that of many independent customers; always the same one. */
function noisy(load: (at: number) => number): (at: number) => number {
  let seed = 20;
  const random = () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return (seed + 1) / (2 ** 31 + 1);
  };
  return (at) => {
    const normal = Math.sqrt(-2 * Math.log(random())) * Math.cos(2 * Math.PI * random());
    return Math.max(0, load(at) + Math.sqrt(load(at) / COARSE_S) * normal);
  };
}
/** When the number of workers changed, and by how many. */
const stepsOf = (moments: Moment[]) =>
  moments.flatMap(({ at, workers }, i) => {
    const by = workers - (moments[i - 1]?.workers ?? workers);
    return by === 0 ? [] : [{ at, by }];
  });
const refusedIn = (moments: Moment[]) => moments.reduce((sum, { refused }) => sum + refused, 0);

describe('a constant load has a constant number of workers', () => {
  it.each([100, 280, 450, 900, 1_500, 2_300])('%i labels a second for hours', (labels) => {
    const { moments } = run({ load: noisy(() => labels), durationS: 6 * HOUR, stepS: COARSE_S });
    const settled = moments.filter(({ at }) => at >= 2 * HOUR);
    expect(stepsOf(settled)).toEqual([]);
    expect(refusedIn(settled)).toBe(0);
    // Each has a reserve, and none idles.
    const share = labels / WORKER_LABELS_PER_S / (settled.at(-1)?.workers ?? 0);
    expect(share).toBeLessThan(0.78);
    if (labels > 280) expect(share).toBeGreaterThan(0.55);
  });
});

it('over a day the number follows the load, with at most a step an hour, and turns with it', () => {
  // The least at 4 in the morning, five times as much at 16.
  const load = (at: number) => 1_200 - 800 * Math.cos((2 * Math.PI * (at / HOUR - 4)) / 24);
  const { moments } = run({ load: noisy(load), durationS: 29 * HOUR, stepS: COARSE_S });
  const day = moments.filter(({ at }) => at >= 5 * HOUR);
  const steps = stepsOf(day);
  expect(steps.length).toBeGreaterThan(10);
  expect(steps.length).toBeLessThanOrEqual(24);
  const turns = steps.filter(({ by }, i) => i > 0 && Math.sign(by) !== Math.sign(steps[i - 1]?.by ?? by));
  expect(turns.length).toBe(1);
  expect(refusedIn(day)).toBe(0);
});

/** The seconds from a tenfold step until no label is refused or waits for more than a second, at the worst moment. */
function slowestStep(before: number, scrapeS: number): { seconds: number; refused: number } {
  const step = 2 * MINUTE;
  const load = (at: number) => (at < step ? before : 10 * before);
  let [seconds, refused] = [0, 0];
  for (let scrape = 0; scrape < scrapeS; scrape++)
    for (let sync = 0; sync < SYNC_S; sync++) {
      const phaseS = { scrape: scrape + 0.5, sync };
      const { moments } = run({ load, durationS: step + 90, scrapeS, phaseS, stepS: 0.25 });
      const inTime = (moment: Moment) =>
        moment.refused === 0 && moment.queued <= moment.ready * WORKER_LABELS_PER_S;
      const late = moments.findLast((moment) => moment.at >= step && !inTime(moment));
      seconds = Math.max(seconds, (late?.at ?? step) - step);
      refused = Math.max(refused, refusedIn(moments));
    }
  return { seconds, refused };
}

it.each([60, 130, 250])(
  'a step from %i to ten times as many is served within 30 s, on warm nodes and scraped as our monitor says',
  (before) => {
    const { seconds, refused } = slowestStep(before, SCRAPE_S);
    process.stdout.write(`From ${before} to ${10 * before}: ${seconds} s at most, ${refused} refused\n`);
    expect(seconds).toBeGreaterThan(START_S);
    expect(seconds).toBeLessThanOrEqual(30);
  },
);

it('where Prometheus scrapes every 15 s, a step takes ten seconds more', () => {
  expect(slowestStep(130, 15).seconds).toBeLessThanOrEqual(40);
});

it('none is refused where the headroom is as large as the step', () => {
  const load = (at: number) => (at < 600 ? 130 : 1_300);
  const { moments } = run({ load, durationS: 900, workers: 8 });
  expect(refusedIn(moments)).toBe(0);
});

describe('nobody knows, so nothing changes', () => {
  const numbers = (moments: Moment[]) => [...new Set(moments.map(({ workers }) => workers))];
  const from = 2 * HOUR;
  const during = (at: number) => at >= from && at < from + 40 * MINUTE;
  const settled = run({ load: () => 900, durationS: from, stepS: COARSE_S }).moments.at(-1)
    ?.workers as number;

  it.each([
    ['grows', (at: number) => (at < from ? 900 : 2_000)],
    ['is gone', (at: number) => (at < from ? 900 : 0)],
  ])('while Prometheus is away, also where the load %s', (_, load) => {
    const { moments } = run({
      load,
      durationS: from + HOUR,
      stepS: COARSE_S,
      prometheus: (at) => !during(at),
    });
    expect(numbers(moments.filter(({ at }) => during(at)))).toEqual([settled]);
  });

  it('while the queue is paused', () => {
    const { moments } = run({ load: () => 900, durationS: from + HOUR, stepS: COARSE_S, paused: during });
    expect(numbers(moments.filter(({ at }) => during(at)))).toEqual([settled]);
    expect(refusedIn(moments.filter(({ at }) => during(at)))).toBeGreaterThan(0);
  });

  it('while Redis is away, which is no want of workers', () => {
    const { moments } = run({
      load: () => 900,
      durationS: from + HOUR,
      stepS: COARSE_S,
      redis: (at) => !during(at),
    });
    expect(numbers(moments.filter(({ at }) => at >= from))).toEqual([settled]);
  });
});

it('when the load is gone, workers go by and by: an hour later, at most half of them in half an hour', () => {
  const load = (at: number) => (at < 2 * HOUR ? 2_300 : 20);
  const { moments } = run({ load, durationS: 6 * HOUR, stepS: COARSE_S });
  const removed = stepsOf(moments).filter(({ at, by }) => at >= 2 * HOUR && by < 0);
  const first = moments.find(({ at }) => at === 2 * HOUR)?.workers ?? 0;
  expect(first).toBeGreaterThan(15);
  expect(removed[0]?.at).toBeGreaterThanOrEqual(3 * HOUR - MINUTE);
  for (const { at, by } of removed) {
    const before = moments.find((each) => each.at === at - COARSE_S)?.workers ?? 0;
    expect(-by).toBeLessThanOrEqual(Math.ceil(before / 2));
  }
  expect(moments.at(-1)?.workers).toBe(scaledObject.minReplicaCount);
});

describe('the queries', () => {
  const queries = scaledObject.triggers.map(({ metadata }) => metadata.query);

  it('say nothing where there is no figure, and KEDA takes that for no figure', () => {
    for (const query of queries) expect(parseQuery(query)([], 0)).toBeUndefined();
    for (const { metadata } of scaledObject.triggers) expect(metadata.ignoreNullValues).toBe('false');
  });

  it('have the values in Prometheus that the model computes', () => {
    const load = (at: number) => (at < 200 ? 300 : 3_000);
    const { series } = run({ load, durationS: 301, scrapeS: 15 });
    const folder = mkdtempSync(join(tmpdir(), 'scaling-'));
    writeFileSync(join(folder, 'queries.test.yml'), JSON.stringify(ruleTest(queries, series)));
    try {
      execFileSync('promtool', ['test', 'rules', join(folder, 'queries.test.yml')], {
        encoding: 'utf8',
        stdio: 'pipe',
      });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

/** What promtool needs to compare the values of queries, at the time of the last sample. */
function ruleTest(queries: string[], series: readonly Series[]) {
  const input = series.map(({ name, labels, samples }) => ({
    series: `${name}{${Object.entries(labels)
      .map(([key, value]) => `${key}="${value}"`)
      .join(',')}}`,
    values: samples.map(({ value }) => value).join(' '),
  }));
  const now = series[0]?.samples.at(-1)?.at ?? 0;
  const promql_expr_test = queries.map((expr) => ({
    expr,
    eval_time: `${now}s`,
    exp_samples: [{ labels: '{}', value: parseQuery(expr)(series, now) }],
  }));
  return { evaluation_interval: '15s', tests: [{ interval: '15s', input_series: input, promql_expr_test }] };
}
