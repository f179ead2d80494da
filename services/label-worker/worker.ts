import { type Job, UnrecoverableError, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import { DomainError } from '../../shared/errors.ts';
import {
  isLabelPayload,
  keyOfJob,
  LABEL_QUEUE,
  type LabelJob,
  type LabelJobResult,
} from '../../shared/label-job.ts';
import type { Logger } from '../../shared/logger.ts';
import type { LabelPrinter } from './label-printer.ts';

type Options = {
  /** The queue's connection; BullMQ blocks on a copy of it. */
  queue: Redis;
  /** Where finished labels go, by their key. */
  store: (key: string, pdf: Uint8Array) => Promise<void>;
  prefix: string;
  /** Jobs at a time: as many as the printer's lanes take at once. */
  concurrency: number;
  printer: LabelPrinter;
  log: Logger;
};

/** The queue's edge: is a job that failed so worth another try? What is not named here is (Redis was away). */
const RETRY: Readonly<Record<string, boolean>> = {
  'browser-failed': true,
  'label-unprintable': false,
  'payload-invalid': false,
};

/** Takes label jobs: prints, stores the bytes, and only then completes the job. */
export function startLabelWorker(options: Options): Worker<LabelJob, LabelJobResult> {
  const { queue, prefix, concurrency, log } = options;
  const worker = new Worker<LabelJob, LabelJobResult>(
    LABEL_QUEUE,
    async (job) => {
      try {
        return await printJob(job, options);
      } catch (error) {
        throw forQueue(error);
      }
    },
    { connection: queue, prefix, concurrency },
  );
  worker.on('error', (err) => log.error({ err }, 'queue'));
  worker.on('completed', (job, { bytes }) => {
    log.info({ ...labelOf(job), bytes, ms: Date.now() - job.timestamp }, 'label printed');
  });
  // Also the end of a job whose worker died twice, for which no processor runs.
  worker.on('failed', (job, err) => {
    log.error({ err, ...(job && labelOf(job)), attempt: job?.attemptsMade }, 'label failed');
  });
  return worker;
}

async function printJob(job: Job<LabelJob>, { printer, store }: Options): Promise<LabelJobResult> {
  const { label } = job.data;
  if (!isLabelPayload(label)) throw new DomainError('payload-invalid');
  // What was in a batch when Chromium died may have killed it, so it is tried again by itself.
  const pdf = await printer.print(label, { alone: job.attemptsMade > 0 });
  await store(keyOf(job), pdf);
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
