import { Counter, Histogram, type Registry } from 'prom-client';
import { addGauge } from '#shared/observability/metrics.ts';
import type { PrinterObserver } from './batching/label-printer.ts';
import type { BrowserObserver, PrintingBrowser } from './chromium/browser.ts';
import type { WorkerObserver } from './queue/label-worker.ts';

/** Upper bounds of a phase, in seconds: from the HTML of one label to the longest print. */
const PHASE_BUCKETS = [0.000_1, 0.000_3, 0.001, 0.003, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5];
const PHASES = ['html', 'wait', 'document', 'print', 'split', 'store'];

/** What the worker measures of labels and of its Chromium, told by the parts as they work. */
export function labelMetrics(metrics: Registry): BrowserObserver & PrinterObserver & WorkerObserver {
  const registers = [metrics];
  const phases = new Histogram({
    name: 'label_phase_seconds',
    help: 'Where the time goes: html, wait and store of each label; document, print and split of each batch',
    labelNames: ['phase'],
    buckets: PHASE_BUCKETS,
    registers,
  });
  const batches = new Histogram({
    name: 'label_batch_labels',
    help: 'Labels in one batch',
    buckets: [1, 2, 5, 10, 20, 30, 40, 50, 100, 200, 500],
    registers,
  });
  const printed = new Counter({ name: 'labels_printed_total', help: 'Labels printed and stored', registers });
  const failures = new Counter({
    name: 'label_job_failures_total',
    help: 'Attempts at a label that failed, also those that were repeated',
    labelNames: ['reason'],
    registers,
  });
  const starts = new Counter({
    name: 'chromium_starts_total',
    help: 'Why Chromium was started: with the service, because the one before failed, or had grown old',
    labelNames: ['reason'],
    registers,
  });
  // A counter that appears with its first event is one whose first event no rate() shows.
  for (const phase of PHASES) phases.zero({ phase });
  for (const reason of ['start', 'failed', 'worn']) starts.inc({ reason }, 0);
  for (const reason of ['browser-failed', 'label-unprintable', 'payload-invalid', 'other'])
    failures.inc({ reason }, 0);
  return {
    starting: (reason) => starts.inc({ reason }),
    phase: (phase, ms) => phases.observe({ phase }, ms / 1_000),
    batch: (labels) => batches.observe(labels),
    printed: () => printed.inc(),
    failed: (reason) => failures.inc({ reason }),
  };
}

/** What the Chromium of now is like; absent while there is none. */
export function chromiumMetrics(metrics: Registry, { status }: Pick<PrintingBrowser, 'status'>): void {
  addGauge(metrics, 'chromium_age_seconds', 'Since Chromium was started', async () => {
    const chromium = await status();
    return chromium && (Date.now() - chromium.startedAt) / 1_000;
  });
  addGauge(metrics, 'chromium_prints', 'Prints of this Chromium', async () => (await status())?.prints);
  addGauge(
    metrics,
    'chromium_resident_bytes',
    'Memory of all its processes, at the last health check',
    async () => (await status())?.residentBytes,
  );
}
