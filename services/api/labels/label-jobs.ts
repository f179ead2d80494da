import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type Job, Queue } from 'bullmq';
import { withTimeout } from '#shared/async/with-timeout.ts';
import {
  joinJob,
  type LabelAnswer,
  type LabelEnd,
  takeJoined,
  tellAnswer,
} from '#shared/contracts/label-answers.ts';
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

/** Waits for the job under whose id it is kept. `since`: of `performance.now()`. */
type Waiter = { key: string; since: number; settle: (end: LabelEnd) => void };

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
   * Has a label printed, and waits until it is, or until the time is over, or until `abandoned` aborts; then it takes its
   * job back, if no worker has it yet.
   *
   * @param inFlight pages that the account has in flight already.
   */
  async print(key: string, job: LabelJob, inFlight: number, abandoned: AbortSignal): Promise<Outcome> {
    const given = Promise.withResolvers<'late' | 'abandoned'>();
    const timer = setTimeout(() => given.resolve('late'), this.#timeoutMs);
    const abandon = () => given.resolve('abandoned');
    abandoned.addEventListener('abort', abandon);
    try {
      while (!abandoned.aborted) {
        const options = labelJobOptions(key, nonce(), { inFlight, behind: job.behind });
        const end = await this.#run(key, job, options, given.promise);
        if (end !== 'dropped') return end;
        await delay(AGAIN_MS, undefined, { signal: abandoned }).catch(() => {});
        const [printed] = await this.#isCached([key]);
        if (printed) return { printed: key };
      }
      return 'abandoned';
    } finally {
      clearTimeout(timer);
      abandoned.removeEventListener('abort', abandon);
    }
  }

  /** Adds a job, unless another process's is under way, and waits for the end of that one, or for what is given first. */
  async #run(
    key: string,
    job: LabelJob,
    options: ReturnType<typeof labelJobOptions>,
    given: Promise<'late' | 'abandoned'>,
  ): Promise<LabelEnd | 'late' | 'abandoned'> {
    const { promise, resolve } = Promise.withResolvers<LabelEnd>();
    const waiter = { key, since: performance.now(), settle: resolve };
    let jobId = options.jobId;
    this.#waiters.set(jobId, waiter); // before the job is added, so that no end is missed
    try {
      const { id = jobId } = await this.queue.add(
        job.label.kind,
        { ...job, replyTo: this.#process },
        options,
      );
      const isOwn = id === jobId;
      if (!isOwn) {
        this.#waiters.delete(jobId);
        jobId = id;
        this.#waiters.set(jobId, waiter);
        this.#join(jobId, job.requestId);
      }
      const end = await Promise.race([promise, given]);
      if (isOwn && (end === 'late' || end === 'abandoned')) this.#takeBack(jobId);
      return end;
    } finally {
      if (this.#waiters.get(jobId) === waiter) this.#waiters.delete(jobId);
    }
  }

  /** Joins those who wait for a job of another process. It may have ended before its worker could know of this one. */
  #join(jobId: string, requestId: string): void {
    const note = async () => {
      await Promise.all([
        joinJob(this.#redis, this.#prefix, jobId, this.#process),
        addAskers(this.#redis, this.#prefix, keyOfJob(jobId), [requestId]),
      ]);
      const end = endOf(await this.queue.getJob(jobId));
      if (end) this.#settle({ jobId, end });
    };
    note().catch((err) =>
      this.#log.warn({ err, requestId }, 'A label of another process may be answered late'),
    );
  }

  /**
   * Removes its own job, if no worker has it, and tells other processes that wait for it. Not waited for: what remains, the
   * worker drops.
   */
  #takeBack(jobId: string): void {
    const takeBack = async () => {
      if (!(await this.queue.remove(jobId))) return;
      const joined = await takeJoined(this.#redis, this.#prefix, jobId);
      await tellAnswer(this.#redis, this.#prefix, joined, { jobId, end: 'dropped' });
    };
    takeBack().catch((err) =>
      this.#log.warn({ err }, 'A label that nobody waits for could not be taken back'),
    );
  }

  /** Settles the waits that are old enough for an answer to be lost, where their labels are in the cache. */
  async #look(): Promise<void> {
    const before = performance.now() - LOOK_MS;
    const old = [...this.#waiters.values()].filter(({ since }) => since < before);
    if (old.length === 0) return;
    const cached = await this.#isCached(old.map(({ key }) => key));
    for (const [i, { key, settle }] of old.entries()) if (cached[i]) settle({ printed: key });
  }

  /** An answer for a job that nobody here waits for any more is of no use. */
  #settle({ jobId, end }: LabelAnswer): void {
    this.#waiters.get(jobId)?.settle(end);
  }
}

/** Returns how a job ended; undefined where it has not. BullMQ keeps why an attempt failed also where a later one did not. */
function endOf(job: Job<LabelJob, LabelJobResult> | undefined): LabelEnd | undefined {
  if (!job) return 'dropped';
  if (!job.finishedOn) return undefined;
  if (!job.returnvalue) return 'failed';
  const { dropped, key = keyOfJob(job.id ?? '') } = job.returnvalue;
  return dropped ? 'dropped' : { printed: key };
}

function nonce(): string {
  return randomBytes(6).toString('base64url');
}
