import { seeded } from '#test/fixtures/labels/random-labels.ts';
import { Cell } from './cell.ts';
import type { Costs } from './costs.ts';
import { Clock } from './events.ts';
import { poisson, Tally } from './loads.ts';

/** What an installation has, and the labels a second that it is for (docs/performance.md "Capacity"). */
export type Plan = { perSecond: number; cells: number; apis: number; workers: number };

/** A load, and what breaks under it. `rate` is a multiple of the plan's. */
export type Scenario = {
  rate?: (now: number) => number;
  /** Share of the label workers that die, or of the cells that are lost, at `BREAKS_MS`. */
  workersLost?: number;
  cellsLost?: number;
  /** Whether one account asks for a tenth of all labels, once a second and all at once. */
  isLarge?: boolean;
};

export type Outcome = {
  others: Tally;
  large: Tally;
  /** Most labels in the queue of one cell, and most requests under way in one. */
  longestQueue: number;
  mostUnderWay: number;
  /** Used share of the cores of each part, over all cells, while labels are asked for. */
  used: Record<string, number>;
};

const BREAKS_MS = 2_000;
/** In ms: an assumption of how long a balancer sends requests to a cell that is lost. */
const NOTICED_MS = 3_000;
const ACCOUNTS = 300;
const SAMPLE_MS = 50;
const SEED = 1;

/** @param seconds for which labels are asked for; the simulation then runs until all of them have ended. */
export async function simulate(
  plan: Plan,
  scenario: Scenario,
  costs: Costs,
  seconds: number,
): Promise<Outcome> {
  const clock = new Clock();
  const random = seeded(SEED);
  const cells = Array.from(
    { length: plan.cells },
    (_, i) =>
      new Cell({ clock, costs, apis: part(plan.apis, i, plan), workers: part(plan.workers, i, plan) }),
  );
  // As the balancer sees them: it sends each request to the next cell.
  const balancer = { cells, next: 0 };
  const cell = () => balancer.cells[balancer.next++ % balancer.cells.length] as Cell;
  const others = new Tally(clock);
  const large = new Tally(clock);
  const ask = (tally: Tally, account: string) => tally.send((end) => cell().request(account, end));
  const { rate = () => 1, isLarge = false } = scenario;
  const perSecond = (now: number) => plan.perSecond * rate(now);
  const ofOthers = (now: number) => perSecond(now) * (isLarge ? 0.9 : 1);
  poisson(clock, random, seconds, ofOthers, () => ask(others, String(Math.floor(random() * ACCOUNTS))));
  poisson(clock, random, seconds, perSecond, () => cell().create());
  if (isLarge) {
    for (let second = 0; second < seconds; second++)
      clock.after(1_000 * second, () => {
        for (let i = 0; i < plan.perSecond / 10; i++) ask(large, 'large');
      });
  }
  breakLater(clock, scenario, plan, balancer);
  const outcome: Outcome = { others, large, longestQueue: 0, mostUnderWay: 0, used: {} };
  for (let ms = SAMPLE_MS; ms <= 1_000 * seconds; ms += SAMPLE_MS)
    clock.after(ms, () => {
      outcome.longestQueue = Math.max(outcome.longestQueue, ...cells.map(({ queued }) => queued));
      outcome.mostUnderWay = Math.max(outcome.mostUnderWay, ...cells.map(({ underWay }) => underWay));
      if (ms === 1_000 * seconds) outcome.used = usedShares(cells, ms);
    });
  await clock.run();
  return outcome;
}

/** Returns how many of `total` processes the cell has: whole ones, as evenly as can be. */
function part(total: number, cell: number, { cells }: Plan): number {
  return Math.floor((total * (cell + 1)) / cells) - Math.floor((total * cell) / cells);
}

function breakLater(
  clock: Clock,
  { workersLost = 0, cellsLost = 0 }: Scenario,
  plan: Plan,
  balancer: { cells: Cell[] },
): void {
  const { cells } = balancer;
  const lost = cells.slice(0, Math.ceil(cells.length * cellsLost));
  clock.after(BREAKS_MS, () => {
    for (let i = 0; i < Math.ceil(plan.workers * workersLost); i++) cells[i % cells.length]?.killWorker();
    for (const cell of lost) cell.lose();
  });
  clock.after(BREAKS_MS + NOTICED_MS, () => {
    balancer.cells = cells.filter((cell) => !lost.includes(cell));
  });
}

function usedShares(cells: readonly Cell[], ms: number): Record<string, number> {
  const sums: Record<string, { usedMs: number; cores: number }> = {};
  for (const cell of cells)
    for (const [name, { usedMs, cores }] of Object.entries(cell.usage())) {
      sums[name] ??= { usedMs: 0, cores: 0 };
      sums[name].usedMs += usedMs;
      sums[name].cores += cores;
    }
  return Object.fromEntries(
    Object.entries(sums).map(([name, { usedMs, cores }]) => [name, usedMs / (cores * ms)]),
  );
}
