import type { Queue } from 'bullmq';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { addGauge, WAIT_BUCKETS } from '#shared/observability/metrics.ts';

/** Why a request for a label got none. `unavailable`: a store did not answer; `other`: nobody foresaw the cause. */
const REASONS = ['failed', 'late', 'overloaded', 'no_worker', 'quota', 'unavailable', 'other'] as const;
export type LabelFailureReason = (typeof REASONS)[number];

/** Registers what this process measures of its labels, and the workers, read on every scrape. */
export function labelMetrics(metrics: Registry, workers: () => Promise<unknown[]>) {
  addGauge(
    metrics,
    'label_queue_workers',
    'Label workers with a recent heartbeat',
    async () => (await workers()).length,
  );
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
  return {
    /** @param since when the label was asked for, of `performance.now()`. */
    answered: (source: 'cache' | 'printed', since: number) =>
      requests.observe({ source }, (performance.now() - since) / 1_000),
    failed: (reason: LabelFailureReason) => failures.inc({ reason }),
  };
}

/** Registers the figures of the queue that all processes share, read on every scrape. */
export function addQueueGauges(metrics: Registry, queue: Queue): void {
  new Gauge({
    name: 'label_queue_jobs',
    help: 'Jobs in the queue by state; every api process reports the same',
    labelNames: ['state'],
    registers: [metrics],
    async collect() {
      this.reset();
      const counts = await queue
        .getJobCounts('waiting', 'prioritized', 'active', 'delayed')
        .catch(() => ({}));
      const { prioritized = 0, ...others }: Record<string, number> = counts;
      for (const [state, jobs] of Object.entries(others)) {
        this.set({ state }, state === 'waiting' ? jobs + prioritized : jobs);
      }
    },
  });
  addGauge(
    metrics,
    'label_queue_paused',
    '1 if an operator has paused the queue: no label is printed',
    async () => Number(await queue.isPaused()),
  );
  addGauge(
    metrics,
    'label_queue_oldest_job_seconds',
    'Age of the oldest job among the next of each priority, 0 if none waits',
    async () => {
      const next = await queue.getJobs(['waiting', 'prioritized'], 0, 0, true);
      const times = next.filter(Boolean).map(({ timestamp }) => timestamp);
      return times.length > 0 ? (Date.now() - Math.min(...times)) / 1_000 : 0;
    },
  );
}
