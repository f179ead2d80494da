import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { addGauge } from '#shared/observability/metrics.ts';
import type { PrintingBrowser } from './browser/printing-browser.ts';
import type { StartReason } from './browser/supervisor.ts';
import { FAILURE_REASONS, type FailureReason } from './queue/label-failure.ts';

const PHASES = ['html', 'wait', 'document', 'print', 'split', 'image', 'store'] as const;
/** In seconds, from the HTML of one label to the longest print. */
const PHASE_BUCKETS = [0.000_1, 0.000_3, 0.001, 0.003, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5];
const START_REASONS: readonly StartReason[] = ['start', 'failed', 'recycled'];

export type WorkerMetrics = ReturnType<typeof createWorkerMetrics>;

export function createWorkerMetrics(registry: Registry) {
  const registers = [registry];
  const phases = new Histogram({
    name: 'label_phase_seconds',
    help: 'Duration of a phase: html, wait and store per label; document, print and split per batch; image per page of a PNG or of ZPL; the prints at the start are of underlays and of a trial label',
    labelNames: ['phase'],
    buckets: PHASE_BUCKETS,
    registers,
  });
  const batches = new Histogram({
    name: 'label_batch_labels',
    help: 'Labels per batch',
    buckets: [1, 2, 5, 10, 20, 30, 40, 50, 100, 200, 500],
    registers,
  });
  const printed = new Counter({ name: 'labels_printed_total', help: 'Labels printed and stored', registers });
  const failures = new Counter({
    name: 'label_job_failures_total',
    help: 'Failed attempts to print a label, including those that were retried',
    labelNames: ['reason'],
    registers,
  });
  const starts = new Counter({
    name: 'chromium_starts_total',
    help: 'Starts of Chromium: with the service, after a failure, or to recycle one that had printed or grown enough',
    labelNames: ['reason'],
    registers,
  });
  const load = new Gauge({
    name: 'label_worker_load',
    help: 'Labels in hand, by the most that the worker takes at once: at 1 the next ones wait in the queue',
    registers,
  });
  // Without a zero, no rate() would show the first event of a series.
  for (const phase of PHASES) phases.zero({ phase });
  for (const reason of START_REASONS) starts.inc({ reason }, 0);
  for (const reason of FAILURE_REASONS) failures.inc({ reason }, 0);
  return {
    observePhase: (phase: (typeof PHASES)[number], ms: number) => phases.observe({ phase }, ms / 1_000),
    observeBatch: (labels: number) => batches.observe(labels),
    countStart: (reason: StartReason) => starts.inc({ reason }),
    setLoad: (share: number) => load.set(share),
    countPrinted: () => printed.inc(),
    countFailure: (reason: FailureReason) => failures.inc({ reason }),
  };
}

/** The gauges are absent while Chromium does not run. */
export function addChromiumGauges(registry: Registry, { status }: Pick<PrintingBrowser, 'status'>): void {
  const running = () => {
    const chromium = status();
    return chromium.state === 'running' ? chromium : undefined;
  };
  addGauge(registry, 'chromium_age_seconds', 'Time since Chromium was started', async () => {
    const chromium = running();
    return chromium && (Date.now() - chromium.since) / 1_000;
  });
  addGauge(registry, 'chromium_prints', 'Prints of the running Chromium', async () => running()?.prints);
  addGauge(
    registry,
    'chromium_memory_bytes',
    'Private memory of all processes of Chromium, at the last health check',
    async () => running()?.memoryBytes,
  );
}
