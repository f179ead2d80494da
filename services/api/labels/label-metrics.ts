import type { Queue } from 'bullmq';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { addGauge, WAIT_BUCKETS } from '#shared/observability/metrics.ts';

/** What this process measures of the labels that it was asked for, and, on scrape, of the queue that all share. */
export function labelMetrics(metrics: Registry, queue: Queue, workers: () => Promise<unknown[]>) {
  addQueueGauges(metrics, queue);
  addGauge(
    metrics,
    'label_queue_workers',
    'Label workers that are alive',
    async () => (await workers()).length,
  );
  const requests = new Histogram({
    name: 'label_request_duration_seconds',
    help: 'From the request for a label to its bytes, by where they came from',
    labelNames: ['source'],
    buckets: WAIT_BUCKETS,
    registers: [metrics],
  });
  const failures = new Counter({
    name: 'label_failures_total',
    help: 'Labels asked for in vain: failed in the printer, not there in time, refused at once',
    labelNames: ['reason'],
    registers: [metrics],
  });
  // A counter that appears with its first event is one whose first event no rate() shows.
  for (const source of ['cache', 'printed']) requests.zero({ source });
  for (const reason of ['failed', 'late', 'overloaded']) failures.inc({ reason }, 0);
  return {
    /** @param since of `performance.now()`, when the label was asked for. */
    answered: (source: 'cache' | 'printed', since: number) =>
      requests.observe({ source }, (performance.now() - since) / 1_000),
    failed: (reason: 'failed' | 'late' | 'overloaded') => failures.inc({ reason }),
  };
}

function addQueueGauges(metrics: Registry, queue: Queue): void {
  new Gauge({
    name: 'label_queue_jobs',
    help: 'Jobs of the queue; every api process says the same',
    labelNames: ['state'],
    registers: [metrics],
    async collect() {
      this.reset();
      const counts = await queue.getJobCounts('waiting', 'active', 'delayed').catch(() => ({}));
      for (const [state, jobs] of Object.entries(counts)) this.set({ state }, jobs);
    },
  });
  addGauge(
    metrics,
    'label_queue_oldest_job_seconds',
    'Age of the job that waits longest, else 0',
    async () => {
      const [oldest] = await queue.getJobs(['waiting'], 0, 0, true);
      return oldest ? (Date.now() - oldest.timestamp) / 1_000 : 0;
    },
  );
}
