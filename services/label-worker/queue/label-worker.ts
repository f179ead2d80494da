import { type Job, UnrecoverableError, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import {
  isLabelPayload,
  keyOfJob,
  LABEL_QUEUE,
  type LabelJob,
  type LabelJobResult,
} from '#shared/contracts/label-job.ts';
import { DomainError } from '#shared/errors.ts';
import type { Logger } from '#shared/observability/logger.ts';
import type { Tracing } from '#shared/observability/tracing.ts';
import type { LabelPrinter } from '../batching/label-printer.ts';

/** Is told what happens, for those who measure it. */
export type WorkerObserver = {
  phase(phase: 'store', ms: number): void;
  printed(): void;
  /** An attempt has failed; the reason is one of ours, else `other`. */
  failed(reason: string): void;
};

type Options = {
  /** The queue's connection; BullMQ blocks on a copy of it. */
  queue: Redis;
  /** Where finished labels go, by their key. */
  store: (key: string, pdf: Uint8Array) => Promise<void>;
  prefix: string;
  /** Jobs at a time: as many as the printer's lanes take at once. */
  concurrency: number;
  printer: LabelPrinter;
  observer: WorkerObserver;
  log: Logger;
  tracing: Tracing | undefined;
};

/** The queue's edge: is a job that failed so worth another try? What is not named here is (Redis was away). */
const RETRY: Readonly<Record<string, boolean>> = {
  'browser-failed': true,
  'label-unprintable': false,
  'payload-invalid': false,
};

/**
 * What a dead worker was printing goes to another within lock and interval together, in ms: BullMQ's own 30 s each
 * are longer than the api waits. A worker that is merely held up for half a lock gets its labels printed by another
 * as well, which does no harm: they are the same bytes. So a label may be taken away as often as it may be tried.
 */
const RECOVERY = { lockDuration: 3_000, stalledInterval: 1_000, maxStalledCount: 2, runRetryDelay: 1_000 };

/** Takes label jobs: prints, stores the bytes, and only then completes the job. */
export function startLabelWorker(options: Options): Worker<LabelJob, LabelJobResult> {
  const { queue, prefix, concurrency, observer, log, tracing } = options;
  const worker = new Worker<LabelJob, LabelJobResult>(
    LABEL_QUEUE,
    async (job) => {
      try {
        return await printJob(job, options);
      } catch (error) {
        throw forQueue(error);
      }
    },
    { connection: queue, prefix, concurrency, ...RECOVERY, ...(tracing && { telemetry: tracing.queue }) },
  );
  worker.on('error', (err) => log.error({ err }, 'queue'));
  worker.on('completed', (job, { bytes }) => {
    observer.printed();
    log.info({ ...labelOf(job), bytes, ms: Date.now() - job.timestamp }, 'label printed');
  });
  // Also the end of a job whose worker died twice, for which no processor runs.
  worker.on('failed', (job, err) => {
    // The code of a domain error is its message, also when it went through the queue.
    observer.failed(Object.hasOwn(RETRY, err.message) ? err.message : 'other');
    log.error({ err, ...(job && labelOf(job)), attempt: job?.attemptsMade }, 'label failed');
  });
  return worker;
}

async function printJob(job: Job<LabelJob>, { printer, store, observer }: Options): Promise<LabelJobResult> {
  const { label } = job.data;
  if (!isLabelPayload(label)) throw new DomainError('payload-invalid');
  // What was in a batch when Chromium died may have killed it, so it is tried again by itself.
  const pdf = await printer.print(label, { alone: job.attemptsMade > 0 });
  const printed = performance.now();
  await store(keyOf(job), pdf);
  observer.phase('store', performance.now() - printed);
  return { bytes: pdf.length };
}

function forQueue(error: unknown): unknown {
  if (!(error instanceof DomainError) || RETRY[error.code] !== false) return error;
  return Object.assign(new UnrecoverableError(error.code), { cause: error.cause });
}

/** What a log line says of a job: no personal data. */
function labelOf(job: Job<LabelJob>): { requestId: string; label: string } {
  return { requestId: job.data.requestId, label: keyOf(job) };
}

function keyOf(job: Job<LabelJob>): string {
  return keyOfJob(job.id ?? '');
}
