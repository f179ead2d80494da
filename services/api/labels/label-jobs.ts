import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type Job, Queue } from 'bullmq';
import { withTimeout } from '#shared/async/with-timeout.ts';
import { type LabelAnswer, type LabelEnd, tellAnswer } from '#shared/contracts/label-answers.ts';
import { addProcess, takeAskers } from '#shared/contracts/label-askers.ts';
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
import { PeriodicWork } from '../periodic-work.ts';
import { listenForAnswers } from './answer-listener.ts';
import { startQueueCleaning } from './queue-cleaning.ts';

/** Longest wait for the queue to close, in ms. */
const CLOSE_MS = 2_000;
/**
 * How often labels that were waited for as long are looked for in the cache, in ms: an answer is lost where a Redis fails over,
 * and a label worker of release 1.1 gives none.
 */
const LOOK_MS = 2_000;

/** Pause before a label is asked for again whose job went with another process's wait, in ms. */
const AGAIN_MS = 20;

/** How a wait ended. `abandoned`: nobody here waits any more. */
export type Outcome = Exclude<LabelEnd, 'dropped'> | 'late' | 'abandoned';

type Waiter = { since: number; settle: (end: LabelEnd) => void };

export type LabelJobsOptions = {
  /** The id of this process for the label workers. */
  process: string;
  /** For commands; fails fast. */
  redis: RedisClient;
  /** For the answers of the label workers (`openListeningRedis`). */
  listening: RedisClient;
  prefix: string;
  /** Longest wait for a label, in ms. */
  timeoutMs: number;
  log: Pick<Logger, 'info' | 'warn'>;
  tracing: Tracing | undefined;
};

/** Has labels printed through a queue, and hears of those alone that this process waits for. */
export class LabelJobs {
  readonly #process: string;
  readonly queue: Queue<LabelJob, LabelJobResult>;
  readonly #redis: RedisClient;
  readonly #prefix: string;
  readonly #timeoutMs: number;
  readonly #log: Pick<Logger, 'warn'>;
  readonly #waiters = new Map<string, Waiter>();
  readonly #looking: PeriodicWork;
  readonly #isCached: (keys: readonly string[]) => Promise<boolean[]>;
  readonly #stopListening: () => void;
  #stopCleaning = () => {};

  /** @param isCached returns which labels are in the cache. */
  constructor(options: LabelJobsOptions, isCached: (keys: readonly string[]) => Promise<boolean[]>) {
    const { process, redis, listening, prefix, timeoutMs, log, tracing } = options;
    this.#process = process;
    this.#redis = redis;
    this.#prefix = prefix;
    this.#timeoutMs = timeoutMs;
    this.#log = log;
    this.#isCached = isCached;
    this.queue = new Queue(LABEL_QUEUE, {
      connection: redis,
      prefix,
      skipVersionCheck: true,
      ...(tracing && { telemetry: tracing.queue }),
    });
    this.queue.on('error', (err) => {
      // Why there is no connection is in the log already.
      if (redis.status === 'ready') log.warn({ err }, 'The label queue failed');
    });
    this.#looking = new PeriodicWork({
      periodMs: LOOK_MS,
      work: () => this.#look(),
      onError: (err) => log.warn({ err }, 'It is not known whether labels that are waited for are printed'),
    });
    this.#stopListening = listenForAnswers({ listening, prefix, process, log }, (answer) =>
      this.#settle(answer),
    );
  }

  /** Resolves when this process can add jobs; from then on it removes old ones. */
  async open(): Promise<void> {
    await this.queue.waitUntilReady();
    this.#stopCleaning = startQueueCleaning(this.queue, this.#log);
    await this.#looking.start();
  }

  /** Closes its connections; where Redis is away, BullMQ's own close would wait for it without a time limit. */
  async close(): Promise<void> {
    this.#stopListening();
    this.#stopCleaning();
    const closed = Promise.all([this.#looking.close(), this.queue.close()]);
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
        await delay(AGAIN_MS);
      }
      return 'abandoned';
    } finally {
      clearTimeout(timer);
      abandoned.removeEventListener('abort', abandon);
      this.#waiters.delete(key);
    }
  }

  /** Adds a job and waits for its end. The wait begins before the job is added, so that no end is missed. */
  async #run(key: string, job: LabelJob, options: ReturnType<typeof labelJobOptions>): Promise<LabelEnd> {
    const { promise, resolve } = Promise.withResolvers<LabelEnd>();
    this.#waiters.set(key, { since: performance.now(), settle: resolve });
    const { id } = await this.queue.add(job.label.kind, { ...job, replyTo: this.#process }, options);
    // Another process had asked for the label: its job is the one that is printed.
    if (id && id !== options.jobId) this.#join(id, job.requestId);
    return promise;
  }

  /** Joins those who wait for a job of another process. It may have ended before its worker could know of this one. */
  #join(jobId: string, requestId: string): void {
    addProcess(this.#redis, this.#prefix, keyOfJob(jobId), { process: this.#process, requestId })
      .then(() => this.queue.getJob(jobId))
      .then((job) => {
        const end = endOf(job);
        if (end) this.#settle({ jobId, end });
      })
      .catch((err) => this.#log.warn({ err, requestId }, 'A label of another process may be answered late'));
  }

  /**
   * Removes a job that no worker has, and tells other processes that wait for it. Not waited for: what remains, the worker
   * drops.
   */
  #takeBack(jobId: string): void {
    this.queue
      .remove(jobId)
      .then(async (removed) => {
        if (!removed) return;
        const askers = await takeAskers(this.#redis, this.#prefix, keyOfJob(jobId));
        const others = new Set(askers.map(({ process }) => process));
        others.delete(this.#process);
        await tellAnswer(this.#redis, this.#prefix, others, { jobId, end: 'dropped' });
      })
      .catch((err) => this.#log.warn({ err }, 'A label that nobody waits for could not be taken back'));
  }

  /** Settles the waits that are old enough for an answer to be lost, where their labels are in the cache. */
  async #look(): Promise<void> {
    const before = performance.now() - LOOK_MS;
    const keys = [...this.#waiters].filter(([, { since }]) => since < before).map(([key]) => key);
    if (keys.length === 0) return;
    const cached = await this.#isCached(keys);
    for (const [i, key] of keys.entries()) {
      if (cached[i]) this.#waiters.get(key)?.settle({ printed: key });
    }
  }

  #settle({ jobId, end }: LabelAnswer): void {
    this.#waiters.get(keyOfJob(jobId))?.settle(end);
  }
}

/** Returns how a job ended; undefined where it has not. */
function endOf(job: Job<LabelJob, LabelJobResult> | undefined): LabelEnd | undefined {
  if (!job) return 'dropped';
  if (!job.finishedOn) return undefined;
  if (job.failedReason) return 'failed';
  return job.returnvalue?.dropped ? 'dropped' : { printed: job.returnvalue?.key ?? keyOfJob(job.id ?? '') };
}

function nonce(): string {
  return randomBytes(6).toString('base64url');
}
