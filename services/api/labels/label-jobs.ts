import { randomBytes } from 'node:crypto';
import { Queue, QueueEvents } from 'bullmq';
import { withTimeout } from '#shared/async/with-timeout.ts';
import { addAskers } from '#shared/contracts/label-askers.ts';
import {
  keyOfJob,
  LABEL_QUEUE,
  type LabelJob,
  type LabelJobResult,
  labelJobOptions,
} from '#shared/contracts/label-job.ts';
import type { Logger } from '#shared/observability/logger.ts';
import type { Tracing } from '#shared/observability/tracing.ts';
import type { RedisClient } from '#shared/stores/redis-client.ts';
import { startQueueCleaning } from './queue-cleaning.ts';

/** Longest wait for the queue to close, in ms. */
const CLOSE_MS = 2_000;

/** How a wait ended: under which key the label is, or why there is none. `abandoned`: nobody here waits any more. */
export type Outcome = { printed: string } | 'failed' | 'late' | 'abandoned';
/** `dropped`: the job went without being printed, since those of another process who had asked for it were gone. */
type JobEnd = { printed: string } | 'failed' | 'dropped';

export type LabelJobsOptions = {
  /** For commands; fails fast. */
  redis: RedisClient;
  /** For the queue's events; waits while Redis is away. */
  blocking: RedisClient;
  prefix: string;
  /** Longest wait for a label, in ms. */
  timeoutMs: number;
  log: Pick<Logger, 'info' | 'warn'>;
  tracing: Tracing | undefined;
};

/**
 * Has labels printed through the queue.
 *
 * A process has one listener for the queue's events and one map of waiters, since BullMQ's own `waitUntilFinished` adds
 * listeners with every call.
 */
export class LabelJobs {
  readonly queue: Queue<LabelJob, LabelJobResult>;
  readonly #events: QueueEvents;
  readonly #redis: RedisClient;
  readonly #prefix: string;
  readonly #timeoutMs: number;
  readonly #log: Pick<Logger, 'warn'>;
  readonly #waiters = new Map<string, (end: JobEnd) => void>();
  #stopCleaning = () => {};

  constructor({ redis, blocking, prefix, timeoutMs, log, tracing }: LabelJobsOptions) {
    this.#redis = redis;
    this.#prefix = prefix;
    this.#timeoutMs = timeoutMs;
    this.#log = log;
    this.queue = new Queue(LABEL_QUEUE, {
      connection: redis,
      prefix,
      skipVersionCheck: true,
      ...(tracing && { telemetry: tracing.queue }),
    });
    this.#events = new QueueEvents(LABEL_QUEUE, { connection: blocking, prefix });
    this.queue.on('error', (err) => log.warn({ err }, 'The label queue failed'));
    this.#events.on('error', (err) => log.warn({ err }, 'The events of the label queue failed'));
    this.#events.on('completed', ({ jobId, returnvalue }) => {
      const result = returnvalue as unknown as LabelJobResult | null;
      this.#settle(jobId, result?.dropped ? 'dropped' : { printed: result?.key ?? keyOfJob(jobId) });
    });
    this.#events.on('failed', ({ jobId }) => this.#settle(jobId, 'failed'));
    this.#events.on('removed', ({ jobId }) => this.#settle(jobId, 'dropped'));
  }

  /** Resolves when this process can add jobs and receives the queue's events; from then on it removes old jobs. */
  async open(): Promise<void> {
    await Promise.all([this.queue.waitUntilReady(), this.#events.waitUntilReady()]);
    this.#stopCleaning = startQueueCleaning(this.queue, this.#log);
  }

  /** Closes its connections; where Redis is away, BullMQ's own close would wait for it without a time limit. */
  async close(): Promise<void> {
    this.#stopCleaning();
    const closed = Promise.all([this.#events.close(), this.queue.close()]);
    await withTimeout(CLOSE_MS, 'Closing the label queue', closed).catch((err) =>
      this.#log.warn({ err }, 'The label queue was left open'),
    );
  }

  /**
   * Has a label printed, and waits until it is, or until the time is over, or until `abandoned` aborts; then it takes the
   * job back, if no worker has it yet. One call for a key at a time.
   *
   * @param inFlight pages that the account has in flight already.
   */
  async print(key: string, job: LabelJob, inFlight: number, abandoned: AbortSignal): Promise<Outcome> {
    const given = Promise.withResolvers<Outcome>();
    const timer = setTimeout(() => given.resolve('late'), this.#timeoutMs);
    const abandon = () => given.resolve('abandoned');
    abandoned.addEventListener('abort', abandon);
    try {
      while (!abandoned.aborted) {
        const options = labelJobOptions(key, nonce(), { inFlight, behind: job.behind });
        const end = await Promise.race([this.#run(key, job, options), given.promise]);
        if (end === 'late' || end === 'abandoned') this.#takeBack(options.jobId);
        if (end !== 'dropped') return end;
      }
      return 'abandoned';
    } finally {
      clearTimeout(timer);
      abandoned.removeEventListener('abort', abandon);
      this.#waiters.delete(key);
    }
  }

  /** Adds a job and waits for its end. The wait begins before the job is added, so that no end is missed. */
  async #run(key: string, job: LabelJob, options: ReturnType<typeof labelJobOptions>): Promise<JobEnd> {
    const { promise, resolve } = Promise.withResolvers<JobEnd>();
    this.#waiters.set(key, resolve);
    const { id } = await this.queue.add(job.label.kind, job, options);
    // Another process had asked for the label: its job is the one that is printed.
    if (id !== options.jobId) this.#join(key, job.requestId);
    return promise;
  }

  #join(key: string, requestId: string): void {
    addAskers(this.#redis, this.#prefix, key, [requestId]).catch((err) =>
      this.#log.warn({ err, requestId }, 'The log of the label worker will lack a request id'),
    );
  }

  /** Removes a job that no worker has. Not waited for: what remains, the worker drops. */
  #takeBack(jobId: string): void {
    this.queue
      .remove(jobId)
      .catch((err) => this.#log.warn({ err }, 'A label that nobody waits for could not be taken back'));
  }

  #settle(jobId: string, end: JobEnd): void {
    this.#waiters.get(keyOfJob(jobId))?.(end); // without a waiter, another process asked
  }
}

function nonce(): string {
  return randomBytes(6).toString('base64url');
}
