import type { Report } from '../report/report.ts';
import { Cell } from './cell.ts';
import type { Costs } from './costs.ts';
import { Clock } from './events.ts';
import { atRate, inParallel } from './loads.ts';
import { Machine } from './machine.ts';

/** A figure of the last whole benchmark, and what the simulation says of the same load on two cores. */
export type Comparison = { what: string; measured: number; simulated: number; unit: string };

const CLIENTS = 64;
const LABELS = 3_000;
const SECONDS = 15;

/** Simulates the machine of the benchmark: two cores for all processes, the load generator among them. */
function benchSystem(costs: Costs) {
  const clock = new Clock();
  const shared = new Machine(clock, 2);
  const cell = new Cell({ clock, costs, apis: 1, workers: 1, shared });
  const generator = shared.thread();
  const send: Parameters<typeof inParallel>[3] = (end) =>
    generator.run(costs.load, () => cell.request('demo', (how) => generator.run(costs.load, () => end(how))));
  return { clock, send };
}

export async function compareWithTwoCores(report: Report, costs: Costs): Promise<Comparison[]> {
  const row = (id: string) => {
    const found = report.rows.find((one) => one.id === id);
    if (!found) throw new Error(`The last benchmark has no row ${id}`);
    return found;
  };
  const noted = (id: string, pattern: RegExp) => Number(pattern.exec(row(id).note)?.[1]);
  const closed = (clients: number, count: number) => {
    const { clock, send } = benchSystem(costs);
    return inParallel(clock, count, clients, send);
  };
  const open = (perSecond: number) => {
    const { clock, send } = benchSystem(costs);
    return atRate(clock, perSecond, SECONDS, send).then((tally) => ({ tally, seconds: clock.now / 1_000 }));
  };
  const alone = await closed(1, 200);
  const top = await closed(CLIENTS, LABELS);
  const half = await open(top.perSecond / 2);
  const over = await open(top.perSecond * 3);
  const goodput = over.tally.count('served') / over.seconds / top.perSecond;
  const compare = (what: string, measured: number, simulated: number, unit = 'ms') => ({
    ...{ what, measured, simulated, unit },
  });
  return [
    compare('one label, nobody else waiting, p50', row('one-label-p50').value, alone.tally.p(0.5)),
    compare('64 concurrent', row('labels').value, top.perSecond, 'labels/s'),
    compare('… p50', noted('labels', /p50 (\d+)/), top.tally.p(0.5)),
    compare('… p99', noted('labels', /p99 (\d+)/), top.tally.p(0.99)),
    compare('half of the top load, p99', row('half-load-p99').value, half.tally.p(0.99)),
    compare('three times the top load, goodput', row('overload-goodput').value, goodput, '×'),
    compare('… served, p99', row('overload-served-p99').value, over.tally.p(0.99)),
    compare('… refusal, p99', row('overload-refusal-p99').value, over.tally.p(0.99, 'refused')),
  ];
}
