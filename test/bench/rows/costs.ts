import { Redis } from 'ioredis';
import { newGuide } from '../load/guides.ts';
import { inParallel } from '../load/load.ts';
import { median } from '../report/statistics.ts';
import type { Result, Run } from '../run.ts';
import { cpuByPart } from '../system/process-tree.ts';
import { withSystem } from '../system/system.ts';

/** What one label or one creation costs, by part: core-ms of each, and what Redis does for it. */
type Costs = Map<string, number>;

/** Measures what one label and one creation cost each part. docs/performance.md computes its plan of a fleet from these costs. */
export async function costs(run: Run): Promise<Result[]> {
  return withSystem(run, async ({ api }) => {
    const redis = new Redis(run.servers.redisUrl);
    try {
      await api.warmUp(run.count(4_000));
      const labels: Costs[] = [];
      const creations: Costs[] = [];
      for (let round = 0; round < run.rounds; round++) {
        const numbers = await api.newGuides(run.count(3_000));
        labels.push(
          await costsOf(redis, numbers.length, () => inParallel(numbers, 64, (one) => api.label(one))),
        );
        const guides = Array.from({ length: run.count(3_000) }, newGuide);
        creations.push(
          await costsOf(redis, guides.length, () => inParallel(guides, 16, (one) => api.create([one]))),
        );
      }
      return [costResult('cost-label', labels), costResult('cost-create', creations)];
    } finally {
      redis.disconnect();
    }
  });
}

/** Measures what one of `count` things costs that `work` does. */
async function costsOf(redis: Redis, count: number, work: () => Promise<unknown>): Promise<Costs> {
  const counters = async () => new Map([...cpuByPart(), ...(await redisCounters(redis))]);
  const before = await counters();
  await work();
  return new Map(
    [...(await counters())].map(([part, value]) => [part, (value - (before.get(part) ?? 0)) / count]),
  );
}

/** Commands of scripts count too; kB are those in and out. */
async function redisCounters(redis: Redis): Promise<[string, number][]> {
  const stats = await redis.info('stats');
  const counter = (field: string) => Number(new RegExp(`^${field}:(\\d+)`, 'm').exec(stats)?.[1]);
  const bytes = counter('total_net_input_bytes') + counter('total_net_output_bytes');
  return [
    ['commands of Redis', counter('total_commands_processed')],
    ['kB of Redis', bytes / 1_000],
  ];
}

/** The sum of the service's own parts; what the load took, and others on the machine, is in the note alone. */
function costResult(id: string, rounds: readonly Costs[]): Result {
  const parts = [...(rounds[0]?.keys() ?? [])];
  const values = parts.map((part) => ({ part, value: median(rounds.map((round) => round.get(part) ?? 0)) }));
  const note = values
    .filter(({ value }) => value >= 0.005)
    .map(({ part, value }) => `${part} ${value < 10 ? value.toFixed(2) : value.toFixed(0)}`)
    .join(', ');
  const own = (round: Costs) =>
    [...round].reduce(
      (sum, [part, value]) => (/Redis|load generator|other/.test(part) ? sum : sum + value),
      0,
    );
  return { id, rounds: rounds.map(own), note };
}
