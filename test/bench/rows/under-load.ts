import { atRate, inParallel } from '../load/load.ts';
import { median, p99, percentile, ratios, spread } from '../report/statistics.ts';
import type { Result, Run } from '../run.ts';
import { type BenchSystem, withSystem } from '../system/system.ts';

const TOP_CONCURRENCY = 64;
const SECONDS = 15;
const REFUSED = 503;

/** Half of the top load, and three times the top load: requests at a fixed rate, whatever the answers do. */
export async function underLoad(run: Run): Promise<Result[]> {
  return withSystem(run, async (system) => {
    run.say('looking for the top load…');
    await system.api.warmUp(run.count(2_000));
    const tops: number[] = [];
    for (let round = 0; round < 3; round++) tops.push(await topLoad(system, run.count(3_000)));
    const top = median(tops);
    run.say(`half of the top load: ${(top / 2).toFixed(0)} labels/s…`);
    const half = await halfLoad(run, system, top / 2);
    run.say(`three times the top load: ${(top * 3).toFixed(0)} labels/s…`);
    return [...half, ...(await overload(run, system, top))];
  });
}

async function topLoad({ api }: BenchSystem, count: number): Promise<number> {
  return (await inParallel(await api.newGuides(count), TOP_CONCURRENCY, (guide) => api.label(guide)))
    .perSecond;
}

async function halfLoad(run: Run, { api }: BenchSystem, perSecond: number): Promise<Result[]> {
  const rounds: number[][] = [];
  for (let round = 0; round < run.rounds; round++) {
    const guides = await api.newGuides(run.count(perSecond * SECONDS));
    rounds.push((await atRate(guides, perSecond, (guide) => api.label(guide))).latencies);
  }
  const p50s = rounds.map((latencies) => percentile(latencies, 0.5));
  return [
    { id: 'half-load-p99', rounds: p99(rounds), note: `${perSecond.toFixed(0)} labels/s, ${spread(rounds)}` },
    { id: 'half-load-p99-against-p50', rounds: ratios(p99(rounds), p50s) },
  ];
}

async function overload(run: Run, { api }: BenchSystem, top: number): Promise<Result[]> {
  const guides = await api.newGuides(run.count(top * 3 * SECONDS));
  const load = await atRate(guides, top * 3, (guide) => api.label(guide));
  const refused = load.refusals.filter(({ status }) => status === REFUSED).map(({ ms }) => ms);
  const failed = load.refusals.length - refused.length;
  const note = `top ${top.toFixed(0)}/s; ${load.latencies.length} served, ${refused.length} refused, ${failed} failed in ${load.seconds.toFixed(1)} s`;
  const goodput = load.perSecond / top;
  return [
    { id: 'overload-goodput', rounds: [goodput], note },
    { id: 'overload-served-p99', rounds: p99([load.latencies]) },
    ...(refused.length > 0 ? [{ id: 'overload-refusal-p99', rounds: [percentile(refused, 0.99)] }] : []),
  ];
}
