import type { ApiClient } from '../../load/api-client.ts';
import { inParallel } from '../../load/load.ts';
import { percentile } from '../../report/statistics.ts';
import type { Result, Run } from '../../run.ts';
import { withSystem } from '../../system/system.ts';

const CONCURRENCY = 2;
const PACKAGES = 99;

/** Single labels by themselves, and while somebody asks for one label of 99 packages after the other. */
export async function fair(run: Run): Promise<Result[]> {
  return withSystem(run, async ({ api }) => {
    run.say('single labels beside labels of 99 packages…');
    await api.warmUp(run.count(1_000));
    const alone: number[][] = [];
    const beside: number[][] = [];
    const large: number[][] = [];
    for (let round = 0; round < run.rounds; round++) {
      const count = run.count(300);
      alone.push(await singles(api, count));
      const others = await largeLabels(api);
      beside.push(await singles(api, count));
      large.push(await others.stop());
    }
    const of = (rounds: number[][], share: number) => rounds.map((latencies) => percentile(latencies, share));
    return [
      { id: 'fair-alone-p99', rounds: of(alone, 0.99), note: `${CONCURRENCY} concurrent; ${spread(alone)}` },
      {
        id: 'fair-p99',
        rounds: of(beside, 0.99),
        note: `${spread(beside)}; the large ones: ${spread(large)}`,
      },
    ];
  });
}

async function singles(api: ApiClient, count: number): Promise<number[]> {
  const guides = await api.newGuides(count);
  return (await inParallel(guides, CONCURRENCY, (guide) => api.label(guide))).latencies;
}

/** One after the other until `stop`, which returns how long each took, in ms. */
async function largeLabels(api: ApiClient): Promise<{ stop(): Promise<number[]> }> {
  const guides = await api.newGuides(500);
  let stopped = false;
  const asking = (async () => {
    const latencies: number[] = [];
    for (const guide of guides) {
      if (stopped) break;
      latencies.push(...(await inParallel([guide], 1, (one) => api.smallLabel(one, PACKAGES))).latencies);
    }
    return latencies;
  })();
  const stop = () => {
    stopped = true;
    return asking;
  };
  return { stop };
}

function spread(rounds: number[][]): string {
  const all = rounds.flat();
  const figure = (share: number) => percentile(all, share).toFixed(0);
  return `p50 ${figure(0.5)} ms, most ${figure(1)} ms`;
}
