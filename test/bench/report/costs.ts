import { Redis } from 'ioredis';
import type { Result } from '../run.ts';
import { cpuByPart } from '../system/process-tree.ts';
import { median } from './statistics.ts';

/** What one label or one creation costs, by part: core-ms of each, and what Redis does for it. */
export type Costs = Map<string, number>;

/** Measures what one of `count` things costs that `work` does. docs/performance.md computes its plan of a fleet from these costs. */
export async function withCosts<T>(
  redisUrl: string,
  count: number,
  work: () => Promise<T>,
): Promise<T & { costs: Costs }> {
  const redis = new Redis(redisUrl);
  try {
    const counters = async () => new Map([...cpuByPart(), ...(await redisCounters(redis))]);
    const before = await counters();
    const result = await work();
    const after = await counters();
    const costs = new Map(
      [...after].map(([part, value]) => [part, (value - (before.get(part) ?? 0)) / count]),
    );
    return { ...result, costs };
  } finally {
    redis.disconnect();
  }
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
export function costResult(id: string, rounds: readonly Costs[]): Result {
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
