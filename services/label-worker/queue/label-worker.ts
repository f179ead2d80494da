import { setTimeout as delay } from 'node:timers/promises';
import { type Job, Worker } from 'bullmq';
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
import type { Reservation } from '#shared/contracts/page-reservations.ts';
import { DomainError } from '#shared/errors.ts';
import type { Logger } from '#shared/observability/logger.ts';
import type { Tracing } from '#shared/observability/tracing.ts';
import type { RedisClient } from '#shared/stores/redis-client.ts';
import { isTransientError } from '#shared/stores/transient-errors.ts';
import type { LabelPrinter, PrintOrder } from '../batching/label-printer.ts';
import type { ImagePrinter } from '../images/image-printer.ts';
import type { WorkerMetrics } from '../metrics.ts';
import { identify, keyOf } from './job-identity.ts';
import { failureReasonOf, queueErrorOf } from './label-failure.ts';
import { logAskers, tellJoined, tellOwner } from './tell-processes.ts';

type Options = {
  /** The connection for the queue; BullMQ blocks on a copy of it. */
  blocking: RedisClient;
  /** For commands. */
  redis: RedisClient;
  prefix: string;
  /** Returns whether somebody still waits for a label, who has reserved its pages. */
  isReserved: (reservation: Reservation) => Promise<boolean>;
  /** Most jobs at a time. */
  concurrency: number;
  printer: LabelPrinter;
  /** Of each kind, the file and the version of the template that the printer draws with. */
  templates: Readonly<Record<LabelPayload['kind'], { file: string; version: string }>>;
  images: Pick<ImagePrinter, 'print'>;
  /** Stores a finished label under its key, for the api to read. */
  store: (key: string, bytes: Uint8Array) => Promise<void>;
  /** Returns a finished label, or null where there is none. */
  read: (key: string) => Promise<Uint8Array | null>;
  metrics: Pick<WorkerMetrics, 'observePhase' | 'setLoad' | 'countPrinted' | 'countDropped' | 'countFailure'>;
  log: Logger;
  tracing: Tracing | undefined;
};

/**
 * How the labels of a worker that died, or lost Redis, get to print again while the api still waits for them (10 s,
 * `LABEL_TIMEOUT_MS`). BullMQ's defaults are longer than that.
 */
const RECOVERY = {
  /**
   * Time after which a job whose worker does not renew its lock is another worker's, in ms; it renews at half of it.
   * Longer: labels of a dead worker fail for their clients. Shorter: a worker held up for half of it has its labels
   * printed by another as well, which costs a print and does no harm, as the bytes are the same.
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
 * How long ago a job must have been asked for before it is looked whether somebody still waits for it, in ms: for
 * younger ones looking costs more than it saves. Clocks that differ make it look too often or too late, no more.
 */
const FRESH_MS = 1_000;
/**
 * How long a printed label is stored again and again while its Redis does not serve, and the pause between, in ms. The queue's
 * connection may be back before that of the labels: each try would cost one of a label's three attempts, all of them at once.
 */
const STORE_MS = 3_000;
const STORE_AGAIN_MS = 100;

/** Starts to take label jobs: prints each label, stores its bytes, and only then completes the job. */
export function startLabelWorker(options: Options): Worker<LabelJob, LabelJobResult> {
  const { blocking, prefix, concurrency, metrics, log, tracing } = options;
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
    { connection: blocking, prefix, concurrency, ...RECOVERY, ...(tracing && { telemetry: tracing.queue }) },
  );
  worker.on('error', (err) => log.error({ err }, 'The label queue failed'));
  worker.on('completed', (job, { bytes, dropped, key: printed }) => {
    if (dropped) {
      metrics.countDropped();
      log.info(identify(job), 'A label was dropped: nobody waits for it any more');
      tellOwner(job, 'dropped', options);
      tellJoined(job, 'dropped', options);
      return;
    }
    metrics.countPrinted();
    tellJoined(job, { printed: printed ?? keyOf(job) }, options);
    logAskers(job, options);
    log.info({ ...identify(job), bytes, ms: Date.now() - job.timestamp }, 'A label was printed');
  });
  // Also called for a job that was taken from its workers too often, for which no processor runs.
  worker.on('failed', (job, err) => {
    metrics.countFailure(failureReasonOf(err));
    if (job?.finishedOn) {
      tellOwner(job, 'failed', options);
      tellJoined(job, 'failed', options);
      logAskers(job, options);
    }
    log.error(
      { err, ...(job && identify(job)), template: fileOf(job, options), attempt: job?.attemptsMade },
      'An attempt to print a label failed',
    );
  });
  return worker;
}

async function printJob(job: Job<LabelJob>, options: Options): Promise<LabelJobResult> {
  const { store, templates, metrics } = options;
  const { label, reservation, behind = false } = job.data;
  if (!isLabelPayload(label)) throw new DomainError('payload-invalid');
  const bytes = await print(label, options, {
    // A label that was in a batch when Chromium failed may be the reason, so it is printed by itself.
    alone: job.attemptsMade > 0,
    account: reservation?.account ?? '',
    behind,
    wanted: () => isWanted(job, options),
  });
  const printed = performance.now();
  const asked = keyOf(job);
  const key = printedKey(asked, templates[label.kind].version);
  await storeInTime(() => store(key, bytes));
  metrics.observePhase('store', performance.now() - printed);
  tellOwner(job, { printed: key }, options);
  return { bytes: bytes.length, ...(key !== asked && { key }) };
}

async function storeInTime(store: () => Promise<void>): Promise<void> {
  for (const end = performance.now() + STORE_MS; ; await delay(STORE_AGAIN_MS)) {
    try {
      return await store();
    } catch (error) {
      if (!isTransientError(error) || performance.now() > end) throw error;
    }
  }
}

/** Prints a label's PDF. Another form is drawn from it, also from one that is in the cache. */
async function print(
  { form, ...label }: LabelPayload,
  { printer, images, templates, read }: Options,
  order: PrintOrder,
): Promise<Uint8Array> {
  if (!form) return printer.print(label, order);
  const { version } = templates[label.kind];
  const pdf = (await read(labelKey(label, version))) ?? (await printer.print(label, order));
  return images.print(pdf, pageCount(label), form, order);
}

/** Returns whether somebody waits for a job's label; also where Redis does not tell. */
async function isWanted(job: Job<LabelJob>, { isReserved }: Options): Promise<boolean> {
  const { reservation } = job.data;
  if (!reservation || Date.now() - job.timestamp < FRESH_MS) return true;
  return isReserved(reservation).catch(() => true);
}

/** Returns the file of a job's template; undefined where the payload is invalid. */
function fileOf(job: Job<LabelJob> | undefined, { templates }: Options): string | undefined {
  return job && templates[job.data.label?.kind]?.file;
}
