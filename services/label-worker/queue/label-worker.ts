import { setTimeout as delay } from 'node:timers/promises';
import { type Job, type Telemetry, Worker } from 'bullmq';
import type { ActionCounts } from '#shared/actions/action-counts.ts';
import { DomainError } from '#shared/errors/domain-error.ts';
import type { LabelCache, LabelNews } from '#shared/labels/label-cache.ts';
import type { Logger } from '#shared/observability/logger.ts';
import {
  isLabel,
  isPrintPayload,
  LABEL_QUEUE,
  type LabelJobResult,
  labelKey,
  PRINT_ATTEMPTS,
  type PrintPayload,
  pageCount,
  payloadOf,
  printedKey,
  type QueuedJob,
} from '#shared/printing/label-job.ts';
import type { PrintKind } from '#shared/printing/print-kinds.ts';
import type { RedisClient } from '#shared/stores/redis-client.ts';
import type { RedisClock } from '#shared/stores/redis-clock.ts';
import { isRefusedWrite, isTransientError } from '#shared/stores/transient-errors.ts';
import type { LabelPrinter, PrintOrder } from '../batching/label-printer.ts';
import type { Rasterizer } from '../images/rasterizer.ts';
import type { WorkerMetrics } from '../metrics.ts';
import { failureReasonOf, queueErrorOf } from './label-failure.ts';

type Options = {
  /** BullMQ blocks on a copy of this connection. */
  blocking: RedisClient;
  prefix: string;
  clock: Pick<RedisClock, 'now'>;
  cache: Pick<LabelCache, 'read' | 'store' | 'publish'>;
  concurrency: number;
  printer: LabelPrinter;
  /** Versions of the templates that the printer uses. */
  templates: Readonly<Record<PrintKind, { file: string; version: string }>>;
  images: Pick<Rasterizer, 'rasterize'>;
  counts: Pick<ActionCounts, 'countLabel'>;
  metrics: Pick<WorkerMetrics, 'observePhase' | 'setLoad' | 'countPrinted' | 'countFailure'>;
  log: Logger;
  telemetry: Telemetry | undefined;
};

/** Labels of a worker that died, or lost Redis, print again within `LABEL_TIMEOUT_MS`. BullMQ's defaults are longer. */
const RECOVERY = {
  /**
   * In ms. A worker renews the lock of a job at half of this time. Without a renewal, another worker takes the job. A
   * longer time makes the labels of a dead worker fail for their clients. A shorter time prints a slow worker's labels
   * twice, which only costs a print.
   */
  lockDuration: 3_000,
  /** Time between two searches for such jobs, in ms, in addition to the lock. */
  stalledInterval: 1_000,
  /** How many workers may lose a job: all but that of the last attempt. BullMQ's default is 1. */
  maxStalledCount: PRINT_ATTEMPTS - 1,
  /** In ms after a failed command. With BullMQ's default, labels wait 15 s after Redis is back. */
  runRetryDelay: 1_000,
};

/**
 * While the Redis of the labels is away, storing or announcing a printed label is repeated for so long, with this pause.
 * Otherwise each failure would cost one of `PRINT_ATTEMPTS`.
 */
const REPEAT_MS = 3_000;
const PAUSE_MS = 100;
/**
 * Number of refusals after which a label is given up. A former primary refuses once, and then the connection leads to
 * the new primary.
 */
const MAX_REFUSALS = 2;

/** Takes label jobs: prints each label, stores it, notifies its clients, and only then completes the job. */
export function startLabelWorker(options: Options): Worker<QueuedJob, LabelJobResult> {
  const { blocking, prefix, clock, concurrency, counts, metrics, log, telemetry } = options;
  let inHand = 0;
  const worker = new Worker<QueuedJob, LabelJobResult>(
    LABEL_QUEUE,
    async (job) => {
      metrics.setLoad(++inHand / concurrency);
      try {
        return await answerJob(job, options);
      } catch (error) {
        if (error instanceof DomainError && error.code === 'label-unwanted')
          return { bytes: 0, dropped: true };
        throw queueErrorOf(error);
      } finally {
        metrics.setLoad(--inHand / concurrency);
      }
    },
    {
      connection: blocking,
      prefix,
      concurrency,
      ...RECOVERY,
      ...(telemetry && { telemetry }),
    },
  );
  worker.on('error', (err) => log.error({ err }, 'The label queue failed'));
  worker.on('completed', (job, { bytes, dropped }) => {
    if (dropped) {
      log.info(identify(job), 'A label was dropped: nobody waits for it any more');
      announce(job, 'dropped', options); // a client that has just asked for the label asks again
      return;
    }
    metrics.countPrinted();
    counts.countLabel('printed');
    log.info({ ...identify(job), bytes, ms: clock.now() - job.timestamp }, 'A label was printed');
  });
  // BullMQ also emits this for a job that too many workers lost, without a call of the processor.
  worker.on('failed', (job, err) => {
    metrics.countFailure(failureReasonOf(err));
    if (job?.finishedOn)
      announce(job, failureReasonOf(err) === 'label-unstored' ? 'unstored' : 'failed', options);
    log.error(
      { err, ...(job && identify(job)), template: fileOf(job, options), attempt: job?.attemptsMade },
      'An attempt to print a label failed',
    );
  });
  return worker;
}

/** Prints and stores the label of a job. */
async function answerJob(job: Job<QueuedJob>, options: Options): Promise<LabelJobResult> {
  const { cache, clock, templates, metrics } = options;
  const { key, behind = false } = job.data;
  const label = payloadOf(job.data);
  if (!isPrintPayload(label)) throw new DomainError('payload-invalid');
  const bytes = await printInFormat(label, options, {
    // If Chromium failed during a batch, a label of that batch may be the reason.
    alone: job.attemptsMade > 0,
    place: job.priority,
    behind,
    key,
    askedAt: performance.now() - (clock.now() - job.timestamp),
  });
  const printed = performance.now();
  await repeatUntilServed(() => cache.store(key, printedKey(key, templates[label.kind].version), bytes));
  metrics.observePhase('store', performance.now() - printed);
  return { bytes: bytes.length, at: clock.now() };
}

/**
 * Repeats a command while the Redis of the labels is away.
 * @throws DomainError `label-unstored` if Redis refuses to write.
 */
async function repeatUntilServed(command: () => Promise<void>): Promise<void> {
  let refusals = 0;
  for (const end = performance.now() + REPEAT_MS; ; await delay(PAUSE_MS)) {
    try {
      return await command();
    } catch (cause) {
      if (isRefusedWrite(cause) && ++refusals === MAX_REFUSALS)
        throw new DomainError('label-unstored', { cause });
      if (!isTransientError(cause) || performance.now() > end) throw cause;
    }
  }
}

/** Returns a label as PDF, PNG or ZPL. Images are drawn from the PDF, which may be cached. */
async function printInFormat(
  printed: PrintPayload,
  { printer, images, templates, cache }: Options,
  order: PrintOrder,
): Promise<Uint8Array> {
  if (!isLabel(printed)) return printer.print(printed, order);
  const { form: image, ...label } = printed;
  if (!image) return printer.print(label, order);
  const { version } = templates[label.kind];
  const pdf = (await cache.read(labelKey(label, version))) ?? (await printer.print(label, order));
  return images.rasterize(pdf, pageCount(label), image, order);
}

/** Tells the apis that the job ended without its label. An api that misses the message learns it at the label's time limit. */
function announce(job: Job<QueuedJob>, news: LabelNews, { cache, log }: Options): void {
  repeatUntilServed(() => cache.publish(job.data.key, news)).catch((err) =>
    log.warn({ err, ...identify(job) }, 'The end of a label could not be announced to the api'),
  );
}

/** Returns the fields of a log line, without personal data. */
function identify({ data: { requestId, key } }: Job<QueuedJob>): { requestId: string; label: string } {
  return { requestId, label: key };
}

/** Returns undefined for an invalid payload. */
function fileOf(job: Job<QueuedJob> | undefined, { templates }: Options): string | undefined {
  const label = job && payloadOf(job.data);
  return templates[(label as Partial<PrintPayload> | undefined)?.kind as PrintKind]?.file;
}
