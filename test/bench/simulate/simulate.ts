import { type Report, short } from '../report/report.ts';
import type { End } from './cell.ts';
import { type Costs, costsOf } from './costs.ts';
import { type Outcome, type Plan, type Scenario, simulate } from './fleet.ts';
import type { Tally } from './loads.ts';
import { compareWithTwoCores } from './two-cores.ts';

type Row = { what: string; scenario: Scenario; plan?: Partial<Plan> };
/** `seconds`: for which labels are asked for. */
type Fleet = { plan: Plan; seconds: number; rows: readonly Row[] };

const ROWS: readonly Row[] = [
  { what: 'usual (Poisson)', scenario: {} },
  {
    what: 'twice as many in one second of five',
    scenario: { rate: (now) => (now % 5_000 < 1_000 ? 2 : 0.75) },
  },
  { what: 'a tenth of the label workers die', scenario: { workersLost: 0.1 } },
  { what: 'one account asks for a tenth, once a second', scenario: { isLarge: true } },
  { what: 'one cell is lost', scenario: { cellsLost: 0.01 } },
];
/** Each cell has three apis, and four or five label workers. */
const FLEETS: readonly Fleet[] = [
  {
    plan: { perSecond: 3_000, cells: 2, apis: 6, workers: 9 },
    seconds: 30,
    rows: [
      ...ROWS,
      {
        what: '… with one cell more',
        scenario: { cellsLost: 0.01 },
        plan: { cells: 3, apis: 9, workers: 14 },
      },
    ],
  },
  {
    plan: { perSecond: 30_000, cells: 20, apis: 60, workers: 83 },
    seconds: 10,
    rows: [...ROWS, { what: 'usual, with 55 apis', scenario: {}, plan: { apis: 55 } }],
  },
];
const CELL: Plan = { perSecond: 1_500, cells: 1, apis: 3, workers: 5 };
const CELL_SECONDS = 30;
/** Labels a second that are asked of one cell, as multiples of what it is planned for. */
const STEPS = [0.5, 1, 1.2, 1.4, 1.6, 2];

/** Returns the tables of docs/performance.md "Past one machine". @param say tells of each table how far it is. */
export async function simulateCells(report: Report, say: (line: string) => void): Promise<string> {
  const costs = costsOf(report);
  say('two cores…');
  const tables = [await twoCores(report, costs)];
  for (const fleet of FLEETS) {
    say(`${fleet.plan.perSecond} labels/s…`);
    tables.push(await outcomes(fleet, costs));
  }
  say('one cell…');
  tables.push(await oneCell(costs));
  return tables.join('\n\n');
}

async function twoCores(report: Report, costs: Costs): Promise<string> {
  const rows = await compareWithTwoCores(report, costs);
  return table(
    ['two cores', 'measured', 'simulated', 'ratio'],
    rows.map(({ what, measured, simulated, unit }) => [
      what,
      `${short(measured)} ${unit}`,
      `${short(simulated)} ${unit}`,
      (simulated / measured).toFixed(2),
    ]),
  );
}

const OUTCOME = ['served', 'refused', 'failed, late', 'p50, p99', 'longest', 'queue, under way'];

async function outcomes({ plan, seconds, rows }: Fleet, costs: Costs): Promise<string> {
  const { perSecond, cells, apis, workers } = plan;
  const what = `${perSecond} labels/s for ${seconds} s; ${cells} cells, ${apis} apis, ${workers} workers`;
  const lines: string[][] = [];
  for (const row of rows)
    lines.push([
      row.what,
      ...cellsOf(await simulate({ ...plan, ...row.plan }, row.scenario, costs, seconds)),
    ]);
  return table([what, ...OUTCOME], lines);
}

async function oneCell(costs: Costs): Promise<string> {
  const rows: string[][] = [];
  let parts: string[] = [];
  for (const step of STEPS) {
    const outcome = await simulate(CELL, { rate: () => step }, costs, CELL_SECONDS);
    parts = Object.keys(outcome.used);
    const used = Object.values(outcome.used).map((share) => share.toFixed(2));
    rows.push([`${CELL.perSecond * step} labels/s`, ...cellsOf(outcome), ...used]);
  }
  return table(
    [`one cell of ${CELL.apis} apis, ${CELL.workers} workers, for ${CELL_SECONDS} s`, ...OUTCOME, ...parts],
    rows,
  );
}

function cellsOf({ others, large, longestQueue, mostUnderWay }: Outcome): string[] {
  const asked = others.asked + large.asked;
  const share = (end: End) => `${((100 * (others.count(end) + large.count(end))) / asked).toFixed(1)} %`;
  const latencies = (tally: Tally) => `${short(tally.p(0.5))}, ${short(tally.p(0.99))}`;
  return [
    share('served'),
    share('refused'),
    `${share('failed')}, ${share('late')}`,
    `${latencies(others)} ms${large.asked > 0 ? `; its own ${latencies(large)}` : ''}`,
    `${short(Math.max(others.p(1), large.asked > 0 ? large.p(1) : 0))} ms`,
    `${longestQueue}, ${mostUnderWay}`,
  ];
}

function table(head: readonly string[], rows: readonly string[][]): string {
  const ruler = head.map((_, column) => (column === 0 ? '---' : '--:'));
  return [head, ruler, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
