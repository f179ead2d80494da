import type { Queue } from 'bullmq';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { addGauge, readInTime, WAIT_BUCKETS } from '#shared/observability/metrics.ts';
import type { RedisClock } from '#shared/stores/redis-clock.ts';
import type { LabelWorkers } from './label-workers.ts';

/** `unavailable`: a store did not answer. `other`: an unforeseen cause. */
const REASONS = ['failed', 'late', 'overloaded', 'no_worker', 'quota', 'unavailable', 'other'] as const;
export type LabelFailureReason = (typeof REASONS)[number];

type Shared = { queue: Queue; workers: LabelWorkers; clock: Pick<RedisClock, 'now'> };

/** Registers the metrics of this process, and of the queue once `shared` returns it. */
export function labelMetrics(metrics: Registry, shared: () => Shared | undefined) {
  addQueueGauges(metrics, shared);
  const wanted = new Counter({
    name: 'labels_wanted_total',
    help: 'Labels asked for that were not in the cache, including those that were refused; each once for all requests that share it',
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
    help: 'Label requests without a label: printing failed (500), took too long (late: 500) or was refused (overloaded and no_worker: 503; quota: 429), a store did not answer (unavailable: 503), or the cause was unforeseen (other: 500)',
    labelNames: ['reason'],
    registers: [metrics],
  });
  // A counter must exist before its first event, or rate() does not show that event.
  for (const source of ['cache', 'printed']) requests.zero({ source });
  for (const reason of REASONS) failures.inc({ reason }, 0);
  return {
    wanted: () => wanted.inc(),
    /** @param since of `performance.now()`. */
    answered: (source: 'cache' | 'printed', since: number) =>
      requests.observe({ source }, (performance.now() - since) / 1_000),
    failed: (reason: LabelFailureReason) => failures.inc({ reason }),
  };
}

/** Figures are read on every scrape, and absent if they cannot be read. */
function addQueueGauges(metrics: Registry, shared: () => Shared | undefined): void {
  const add = (name: string, help: string, read: (shared: Shared) => Promise<number>) =>
    addGauge(metrics, name, help, async () => {
      const open = shared();
      return open && read(open);
    });
  add('label_queue_workers', 'Label workers with a recent heartbeat', async ({ workers }) => {
    return (await workers.read()).length;
  });
  add('label_queue_paused', '1 if an operator has paused the queue: no label is printed', async ({ queue }) =>
    Number(await queue.isPaused()),
  );
  add(
    'label_queue_oldest_job_seconds',
    'Age of the next job in the queue, 0 if none waits',
    async ({ queue, clock }) => {
      const next = await queue.getJobs(['waiting', 'prioritized'], 0, 0, true);
      const times = next.filter(Boolean).map(({ timestamp }) => timestamp);
      return times.length > 0 ? (clock.now() - Math.min(...times)) / 1_000 : 0;
    },
  );
  new Gauge({
    name: 'label_queue_jobs',
    help: 'Jobs in the queue by state; every api process reports the same',
    labelNames: ['state'],
    registers: [metrics],
    async collect() {
      this.reset();
      const counting = shared()?.queue.getJobCounts('waiting', 'prioritized', 'active', 'delayed');
      const counts = counting && (await readInTime('label_queue_jobs', counting).catch(() => undefined));
      if (!counts) return;
      const { waiting = 0, prioritized = 0, ...others }: Record<string, number> = counts;
      for (const [state, jobs] of Object.entries({ waiting: waiting + prioritized, ...others })) {
        this.set({ state }, jobs);
      }
    },
  });
}
