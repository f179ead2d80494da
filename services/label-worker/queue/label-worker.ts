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
  /** The connection for the queue; BullMQ blocks on a copy of it. */
  blocking: RedisClient;
  prefix: string;
  /** That of the jobs' times. */
  clock: Pick<RedisClock, 'now'>;
  cache: Pick<LabelCache, 'read' | 'store' | 'tell'>;
  /** Most jobs at a time. */
  concurrency: number;
  printer: LabelPrinter;
  /** Of each kind, the file and the version of the template that the printer draws with. */
  templates: Readonly<Record<LabelPayload['kind'], { file: string; version: string }>>;
  images: Pick<ImagePrinter, 'print'>;
  counts: Pick<LabelCounts, 'count'>;
  metrics: Pick<WorkerMetrics, 'observePhase' | 'setLoad' | 'countPrinted' | 'countDropped' | 'countFailure'>;
  log: Logger;
  /** Absent where nothing is traced. */
  telemetry: Telemetry | undefined;
};

/**
 * How the labels of a worker that died, or lost Redis, get to print again while the api still waits for them (10 s,
 * `LABEL_TIMEOUT_MS`). BullMQ's defaults are longer than that.
 */
const RECOVERY = {
  /**
   * Time after which a job whose worker does not renew its lock is another worker's, in ms; it renews at half of it.
   * Longer: labels of a dead worker fail for their clients. Shorter: a worker held up for half of it has its labels
   * printed by another as well, which costs a print and does no harm.
   */
  lockDuration: 3_000,
  /** Time between two searches for such jobs, in ms. It comes on top of the lock. */
  stalledInterval: 1_000,
  /**
   * How often a job may be taken from a worker. With BullMQ's 1 a label whose worker died twice fails for good, although
   * it has three attempts (`labelJobOptions`).
   */
  maxStalledCount: 2,
  /** Pause after a failed command before the next, in ms. With BullMQ's 15 s, labels wait that long after Redis is back. */
  runRetryDelay: 1_000,
};

/**
 * How long a printed label is stored again and again, or its news told, while the Redis of the labels does not serve, and the
 * pause between, in ms. Each failure to store would cost one of a label's three attempts, all of them at once.
 */
const REPEAT_MS = 3_000;
const PAUSE_MS = 100;
/** Refusals after which a label is given up. A former primary refuses once; by then the connection leads to the new one. */
const MAX_REFUSALS = 2;

/** Starts to take label jobs: prints each label, stores it, tells those who wait for it, and only then completes the job. */
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
  // Also called for a job that was taken from its workers too often, for which no processor runs.
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

/** Repeats what the Redis of the labels does not serve. @throws DomainError `label-unstored` where it refuses to write. */
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

/** Prints a label's PDF. Another form is drawn from it, also from one that is in the cache. */
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

/** Tells who waits for a label that its job has ended without it. Who is not told looks for the label at its deadline. */
function tell(job: Job<LabelJob>, news: LabelNews, { cache, log }: Options): void {
  repeatUntilServed(() => cache.tell(job.data.key, news)).catch((err) =>
    log.warn({ err, ...identify(job) }, 'The api is not told how a label ended'),
  );
}

/** Returns what a log line says of a job, which is no personal data. */
function identify({ data: { requestId, key } }: Job<LabelJob>): { requestId: string; label: string } {
  return { requestId, label: key };
}

/** Returns the file of a job's template; undefined where the payload is invalid. */
function fileOf(job: Job<LabelJob> | undefined, { templates }: Options): string | undefined {
  return job && templates[job.data.label?.kind]?.file;
}
