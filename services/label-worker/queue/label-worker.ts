import { setTimeout as delay } from 'node:timers/promises';
import { type Job, type Telemetry, Worker } from 'bullmq';
import {
  isLabelPayload,
  LABEL_QUEUE,
  type LabelJob,
  type LabelJobResult,
  type LabelPayload,
  labelKey,
  pageCount,
  printedKey,
} from '#shared/contracts/label-job.ts';
import { DomainError } from '#shared/errors/domain-error.ts';
import type { Logger } from '#shared/observability/logger.ts';
import type { LabelCache, LabelNews } from '#shared/stores/label-cache.ts';
import type { LabelCounts } from '#shared/stores/label-counts.ts';
import type { RedisClient } from '#shared/stores/redis-client.ts';
import type { RedisClock } from '#shared/stores/redis-clock.ts';
import { isRefusedWrite, isTransientError } from '#shared/stores/transient-errors.ts';
import type { LabelPrinter, PrintOrder } from '../batching/label-printer.ts';
import type { ImagePrinter } from '../images/image-printer.ts';
import type { WorkerMetrics } from '../metrics.ts';
import { failureReasonOf, queueErrorOf } from './label-failure.ts';

type Options = {
  /** BullMQ blocks on a copy of it. */
  blocking: RedisClient;
  prefix: string;
  /** That of the jobs' times. */
  clock: Pick<RedisClock, 'now'>;
  cache: Pick<LabelCache, 'read' | 'store' | 'publish'>;
  /** Most jobs at a time. */
  concurrency: number;
  printer: LabelPrinter;
  /** Of each kind, the file and the version of the template that the printer draws with. */
  templates: Readonly<Record<LabelPayload['kind'], { file: string; version: string }>>;
  images: Pick<ImagePrinter, 'print'>;
  counts: Pick<LabelCounts, 'count'>;
  metrics: Pick<WorkerMetrics, 'observePhase' | 'setLoad' | 'countPrinted' | 'countDropped' | 'countFailure'>;
  log: Logger;
  /** Absent without tracing. */
  telemetry: Telemetry | undefined;
};

/**
 * Limits by which labels of a worker that died, or lost Redis, print again within `LABEL_TIMEOUT_MS`. BullMQ's defaults
 * are longer.
 */
const RECOVERY = {
  /**
   * Time after which another worker takes a job whose lock is not renewed, in ms; the lock is renewed at half of it.
   * Longer: labels of a dead worker fail for their clients. Shorter: a slow worker's labels are printed twice, which
   * only costs a print.
   */
  lockDuration: 3_000,
  /** Time between two searches for such jobs, in ms, which adds to the lock. */
  stalledInterval: 1_000,
  /**
   * How often a job may be taken from a worker. With BullMQ's 1, a label whose worker died twice fails despite three
   * attempts (`labelJobOptions`).
   */
  maxStalledCount: 2,
  /** Pause after a failed command, in ms. With BullMQ's default, labels wait 15 s after Redis is back. */
  runRetryDelay: 1_000,
};

/**
 * How long a printed label is stored or announced again while the Redis of the labels is away, and the pause between,
 * in ms. Otherwise each failure would cost one of the label's three attempts.
 */
const REPEAT_MS = 3_000;
const PAUSE_MS = 100;
/** Refusals before a label is given up. A former primary refuses once; by then the connection leads to the new one. */
const MAX_REFUSALS = 2;

/** Starts to take label jobs: prints each label, stores it, notifies its clients, and only then completes the job. */
export function startLabelWorker(options: Options): Worker<LabelJob, LabelJobResult> {
  const { blocking, prefix, clock, concurrency, counts, metrics, log, telemetry } = options;
  let inHand = 0;
  const worker = new Worker<LabelJob, LabelJobResult>(
    LABEL_QUEUE,
    async (job) => {
      metrics.setLoad(++inHand / concurrency);
      try {
        return await printJob(job, options);
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
      metrics.countDropped();
      log.info(identify(job), 'A label was dropped: nobody waits for it any more');
      tell(job, 'dropped', options); // whoever asked for it meanwhile asks again
      return;
    }
    metrics.countPrinted();
    counts.count('printed');
    log.info({ ...identify(job), bytes, ms: clock.now() - job.timestamp }, 'A label was printed');
  });
  // Also called for a job that was taken from its workers too often, without a processor.
  worker.on('failed', (job, err) => {
    metrics.countFailure(failureReasonOf(err));
    if (job?.finishedOn)
      tell(job, failureReasonOf(err) === 'label-unstored' ? 'unstored' : 'failed', options);
    log.error(
      { err, ...(job && identify(job)), template: fileOf(job, options), attempt: job?.attemptsMade },
      'An attempt to print a label failed',
    );
  });
  return worker;
}

async function printJob(job: Job<LabelJob>, options: Options): Promise<LabelJobResult> {
  const { cache, clock, templates, metrics } = options;
  const { key, label, behind = false } = job.data;
  if (!isLabelPayload(label)) throw new DomainError('payload-invalid');
  const bytes = await print(label, options, {
    // A label that was in a batch when Chromium failed may be the reason, so it is printed by itself.
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
 * Repeats a command while the Redis of the labels is away. @throws DomainError `label-unstored` if Redis refuses to
 * write.
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

/** Prints a label's PDF. Other forms are drawn from the PDF, even a cached one. */
async function print(
  { form, ...label }: LabelPayload,
  { printer, images, templates, cache }: Options,
  order: PrintOrder,
): Promise<Uint8Array> {
  if (!form) return printer.print(label, order);
  const { version } = templates[label.kind];
  const pdf = (await cache.read(labelKey(label, version))) ?? (await printer.print(label, order));
  return images.print(pdf, pageCount(label), form, order);
}

/**
 * Notifies the waiting clients that the job ended without its label. A client that misses it looks for the label at its
 * deadline.
 */
function tell(job: Job<LabelJob>, news: LabelNews, { cache, log }: Options): void {
  repeatUntilServed(() => cache.publish(job.data.key, news)).catch((err) =>
    log.warn({ err, ...identify(job) }, 'The api is not told how a label ended'),
  );
}

/** Returns a job's fields for a log line, without personal data. */
function identify({ data: { requestId, key } }: Job<LabelJob>): { requestId: string; label: string } {
  return { requestId, label: key };
}

/** Returns the file of a job's template; undefined for an invalid payload. */
function fileOf(job: Job<LabelJob> | undefined, { templates }: Options): string | undefined {
  return job && templates[job.data.label?.kind]?.file;
}
