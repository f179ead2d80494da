import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { seeded } from '#test/fixtures/labels/random-labels.ts';
import { Cell, type End } from './cell.ts';
import { costsOf } from './costs.ts';
import { Clock, Heap } from './events.ts';
import { type Outcome, type Scenario, simulate } from './fleet.ts';
import { poisson } from './loads.ts';
import { Machine } from './machine.ts';

const costs = costsOf(JSON.parse(readFileSync(join(import.meta.dirname, '../results/latest.json'), 'utf8')));

test('a heap gives back the smallest first, and equal ones in the order in which they came', () => {
  const random = seeded(3);
  const keys = Array.from({ length: 1_000 }, () => Math.floor(random() * 50));
  const heap = new Heap<number>();
  for (const [order, key] of keys.entries()) heap.add(key, order);
  const expected = [...keys.entries()].toSorted(([, one], [, other]) => one - other).map(([order]) => order);
  expect(keys.map(() => heap.take()?.value)).toEqual(expected);
  expect(heap.take()).toBeUndefined();
});

test.for([0.3, 0.6, 0.9])(
  'works of equal length wait as in M/D/1 when a thread is used to %d',
  async (load) => {
    const clock = new Clock();
    const thread = new Machine(clock, 1).thread();
    const waits: number[] = [];
    poisson(
      clock,
      seeded(7),
      500,
      () => 1_000 * load,
      () => {
        const cameAt = clock.now;
        thread.run(1, () => waits.push(clock.now - cameAt - 1));
      },
    );
    await clock.run();
    const mean = waits.reduce((sum, wait) => sum + wait, 0) / waits.length;
    const theory = load / (2 * (1 - load)); // Pollaczek and Khinchine, with works of 1 ms
    expect(mean / theory).toBeGreaterThan(0.95);
    expect(mean / theory).toBeLessThan(1.05);
  },
);

test('three threads on two cores take half as long again as each on its own', async () => {
  const clock = new Clock();
  const machine = new Machine(clock, 2);
  const ended: number[] = [];
  for (let i = 0; i < 3; i++) machine.thread().run(10, () => ended.push(clock.now));
  await clock.run();
  expect(ended.map((ms) => ms.toFixed(3))).toEqual(['15.000', '15.000', '15.000']);
});

test('a label alone takes as long as its parts', async () => {
  const clock = new Clock();
  const cell = new Cell({ clock, costs, apis: 1, workers: 1 });
  let ended: { how: End; at: number } | undefined;
  cell.request('demo', (how) => {
    ended = { how, at: clock.now };
  });
  await clock.run();
  const { ask, enter, answer, others, queue, render, finish, print } = costs;
  const parts = ask + others + enter + 2 * queue + render + print.fixed + print.each + finish + answer;
  expect(ended?.how).toBe('served');
  expect(ended?.at).toBeCloseTo(parts, 3);
});

const PLAN = { perSecond: 600, cells: 2, apis: 2, workers: 4 };
const ENDS = ['served', 'refused', 'failed', 'late'] as const;
const counts = ({ others, large }: Outcome) => ENDS.map((end) => others.count(end) + large.count(end));

test.for<[string, Scenario]>([
  ['as usual', {}],
  ['when workers die', { workersLost: 0.5 }],
  ['when a cell is lost', { cellsLost: 0.5 }],
  ['of a large account', { isLarge: true }],
  ['when far too many are asked for', { rate: () => 6 }],
])('every label ends once %s', async ([, scenario]) => {
  const outcome = await simulate(PLAN, scenario, costs, 10);
  const ended = counts(outcome).reduce((sum, count) => sum + count, 0);
  expect(ended).toBe(outcome.others.asked + outcome.large.asked);
  expect(ended).toBeGreaterThan(5_000);
});

test('the labels of a dead worker are printed by another, within their time', async () => {
  const outcome = await simulate(PLAN, { workersLost: 0.25 }, costs, 10);
  expect(counts(outcome)).toEqual([outcome.others.asked, 0, 0, 0]);
  expect(outcome.others.p(1)).toBeGreaterThan(3_000);
});

test('requests fail while the balancer does not see that a cell is lost', async () => {
  const { others } = await simulate(PLAN, { cellsLost: 0.5 }, costs, 10);
  expect(others.count('failed') / others.asked).toBeCloseTo(0.5 * 0.3, 1);
});

test('each part is used for as long as its labels take', async () => {
  const { used, others } = await simulate(PLAN, {}, costs, 10);
  const perMs = others.asked / 10_000;
  const ofApi = costs.ask + costs.enter + costs.answer + costs.create;
  expect(used.api).toBeCloseTo((perMs * ofApi) / PLAN.apis, 1);
  const ofWorkers = costs.render + costs.finish + costs.print.each;
  expect(used['label workers']).toBeGreaterThan((perMs * ofWorkers) / (2 * PLAN.workers));
});
