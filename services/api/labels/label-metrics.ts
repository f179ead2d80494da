import type { Queue } from 'bullmq';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { WAIT_BUCKETS } from '#shared/observability/metrics.ts';

/** Why a request for a label got none. `unavailable`: a store did not answer; `other`: nobody foresaw the cause. */
const REASONS = ['failed', 'late', 'overloaded', 'no_worker', 'quota', 'unavailable', 'other'] as const;
export type LabelFailureReason = (typeof REASONS)[number];

/** Registers what this process measures of its labels. @param shards their names. */
export function labelMetrics(metrics: Registry, shards: readonly string[]) {
  const wanted = new Counter({
    name: 'labels_wanted_total',
    help: 'Labels asked for that were not in the cache, also those that no printer had room for, by shard; each once for all requests that share it',
    labelNames: ['shard'],
    registers: [metrics],
  });
  const requests = new Histogram({
    name: 'label_request_duration_seconds',
    help: 'Time from the request for a label to its PDF, by source',
    labelNames: ['source'],
    buckets: WAIT_BUCKETS,
    registers: [metrics],
  });
  const failures = new Counter({
    name: 'label_failures_total',
    help: 'Label requests without a label: printing failed (500), took too long (late: 500) or was refused (overloaded and no_worker: 503; quota: 429), a store did not answer (unavailable: 503), or nobody foresaw the cause (other: 500)',
    labelNames: ['reason'],
    registers: [metrics],
  });
  // A counter must exist before its first event, or rate() does not show that event.
  for (const source of ['cache', 'printed']) requests.zero({ source });
  for (const reason of REASONS) failures.inc({ reason }, 0);
  for (const shard of shards) wanted.inc({ shard }, 0);
  return {
    wanted: (shard: string) => wanted.inc({ shard }),
    /** @param since when the label was asked for, of `performance.now()`. */
    answered: (source: 'cache' | 'printed', since: number) =>
      requests.observe({ source }, (performance.now() - since) / 1_000),
    failed: (reason: LabelFailureReason) => failures.inc({ reason }),
  };
}

/** A shard's queue, undefined until it was there, and its label workers. */
type Shard = { name: string; queue: Queue | undefined; readWorkers: () => Promise<unknown[]> };

/**
 * Registers the figures of the queues, which all processes share, read on every scrape. A shard that cannot be read is absent:
 * no figure is better than a wrong one.
 */
export function addQueueGauges(metrics: Registry, shards: readonly Shard[]): void {
  const add = (name: string, help: string, read: (queue: Queue, shard: Shard) => Promise<number>) =>
    addShardGauge(metrics, shards, { name, help, labelNames: [] }, async (queue, shard) => [
      [{}, await read(queue, shard)],
    ]);
  add(
    'label_queue_workers',
    'Label workers with a recent heartbeat, by shard',
    async (_queue, shard) => (await shard.readWorkers()).length,
  );
  add('label_queue_paused', '1 if an operator has paused the queue: no label is printed', async (queue) =>
    Number(await queue.isPaused()),
  );
  add(
    'label_queue_oldest_job_seconds',
    'Age of the oldest job among the next of each priority, 0 if none waits, by shard',
    async (queue) => {
      const next = await queue.getJobs(['waiting', 'prioritized'], 0, 0, true);
      const times = next.filter(Boolean).map(({ timestamp }) => timestamp);
      return times.length > 0 ? (Date.now() - Math.min(...times)) / 1_000 : 0;
    },
  );
  const jobs = {
    name: 'label_queue_jobs',
    help: 'Jobs in the queue by shard and state; every api process reports the same',
    labelNames: ['state'],
  };
  addShardGauge(metrics, shards, jobs, async (queue) => {
    const counts = await queue.getJobCounts('waiting', 'prioritized', 'active', 'delayed');
    const { prioritized = 0, ...others }: Record<string, number> = counts;
    return Object.entries(others).map(([state, count]) => [
      { state },
      state === 'waiting' ? count + prioritized : count,
    ]);
  });
}

/** @param read returns the values of a shard, each with its further labels. */
function addShardGauge(
  metrics: Registry,
  shards: readonly Shard[],
  { name, help, labelNames }: { name: string; help: string; labelNames: string[] },
  read: (queue: Queue, shard: Shard) => Promise<[labels: Record<string, string>, value: number][]>,
): void {
  new Gauge({
    name,
    help,
    labelNames: ['shard', ...labelNames],
    registers: [metrics],
    async collect() {
      this.reset();
      await Promise.all(
        shards.map(async (shard) => {
          const values = shard.queue ? await read(shard.queue, shard).catch(() => []) : [];
          for (const [labels, value] of values) this.set({ shard: shard.name, ...labels }, value);
        }),
      );
    },
  });
}
