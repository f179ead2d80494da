import { randomBytes } from 'node:crypto';
import { Queue, QueueEvents } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Registry } from 'prom-client';
import {
  keyOfJob,
  LABEL_QUEUE,
  type LabelJob,
  type LabelJobResult,
  type LabelPayload,
  labelJobOptions,
  labelKey,
} from '#shared/contracts/label-job.ts';
import { labelReader } from '#shared/contracts/label-store.ts';
import { aliveWorkers } from '#shared/contracts/worker-heartbeat.ts';
import { DomainError } from '#shared/errors.ts';
import type { Logger } from '#shared/observability/logger.ts';
import type { Tracing } from '#shared/observability/tracing.ts';
import { Admission } from './admission.ts';
import { labelMetrics } from './label-metrics.ts';

type Outcome = 'printed' | 'failed' | 'late';
type LabelResult = { source: 'cache' | 'printed'; pdf: Buffer };

/** A label's PDF, and its key, which is also its ETag. */
export type PrintedLabel = { key: string; pdf: Buffer };

/**
 * Gets labels from the cache, or has them printed through the queue and waits for the job.
 *
 * A process has one listener for the queue's events and one map of waiters, since BullMQ's own `waitUntilFinished` adds
 * listeners with every call.
 */
export class LabelClient {
  readonly #read: (key: string) => Promise<Buffer | null>;
  readonly #timeoutMs: number;
  readonly #admission: Admission;
  readonly #queue: Queue<LabelJob, LabelJobResult>;
  readonly #events: QueueEvents;
  readonly #metrics: ReturnType<typeof labelMetrics>;
  readonly #inFlight = new Map<string, Promise<LabelResult>>();
  readonly #waiters = new Map<string, (outcome: Outcome) => void>();

  constructor(options: {
    /** For commands; fails fast. */
    redis: Redis;
    /** For the queue's events; waits while Redis is away. */
    blocking: Redis;
    prefix: string;
    /** Longest wait for a label, in ms. */
    timeoutMs: number;
    log: Pick<Logger, 'warn'>;
    metrics: Registry;
    tracing: Tracing | undefined;
  }) {
    const { redis, blocking, prefix, timeoutMs, log, metrics, tracing } = options;
    this.#read = labelReader(redis, prefix);
    this.#timeoutMs = timeoutMs;
    this.#admission = new Admission(timeoutMs);
    this.#queue = new Queue(LABEL_QUEUE, {
      connection: redis,
      prefix,
      skipVersionCheck: true,
      ...(tracing && { telemetry: tracing.queue }),
    });
    this.#events = new QueueEvents(LABEL_QUEUE, { connection: blocking, prefix });
    this.#metrics = labelMetrics(metrics, this.#queue, () => aliveWorkers(redis, prefix));
    this.#queue.on('error', (err) => log.warn({ err }, 'The label queue failed'));
    this.#events.on('error', (err) => log.warn({ err }, 'The events of the label queue failed'));
    this.#events.on('completed', ({ jobId }) => this.#settle(keyOfJob(jobId), 'printed'));
    this.#events.on('failed', ({ jobId }) => this.#settle(keyOfJob(jobId), 'failed'));
  }

  /** Resolves when this client receives the queue's events. */
  async open(): Promise<void> {
    await this.#events.waitUntilReady();
  }

  async close(): Promise<void> {
    await Promise.all([this.#events.close(), this.#queue.close()]);
  }

  /**
   * Refuses a label when too many wait already. Call it before anything is looked up: refusals must cost next to
   * nothing, or they take the time of the labels that are served. A label in the cache is refused too.
   *
   * @throws DomainError `overloaded`, with the seconds after which to try again.
   */
  admit(): void {
    const seconds = this.#admission.retryAfterSeconds(this.#waiters.size);
    if (seconds === 0) return;
    this.#metrics.failed('overloaded');
    throw new DomainError('overloaded', { params: { seconds } });
  }

  /**
   * Returns a label, printed if it is not in the cache. Requests for a label that is already in flight share its
   * result, also its failure: a thousand at once are one job and one read.
   *
   * @param requestId goes with the job, so that the label can be followed in the worker's log.
   * @throws DomainError `overloaded` as `admit` does; `label-failed` when it cannot be printed, or not in time.
   */
  async print(label: LabelPayload, requestId: string): Promise<PrintedLabel> {
    const asked = performance.now();
    const key = labelKey(label);
    let result = this.#inFlight.get(key);
    if (!result) {
      result = this.#get(key, label, requestId).finally(() => this.#inFlight.delete(key));
      this.#inFlight.set(key, result);
    }
    const { source, pdf } = await result;
    this.#metrics.answered(source, asked);
    return { key, pdf };
  }

  async #get(key: string, label: LabelPayload, requestId: string): Promise<LabelResult> {
    const cached = await this.#read(key);
    if (cached) return { source: 'cache', pdf: cached };
    this.admit();
    const outcome = await this.#awaitJob(key, () =>
      this.#queue.add(label.kind, { label, requestId }, labelJobOptions(key, nonce())),
    );
    // Also when late: the label may be printed although its event was lost with a connection.
    const pdf = outcome === 'failed' ? null : await this.#read(key);
    if (pdf) return { source: 'printed', pdf };
    this.#metrics.failed(outcome === 'late' ? 'late' : 'failed');
    throw new DomainError('label-failed', { cause: new Error(`label ${key}: ${outcome}`) });
  }

  /** Waits for the outcome of a job. The wait begins before the job is added, so that no outcome is missed. */
  async #awaitJob(key: string, add: () => Promise<unknown>): Promise<Outcome> {
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    const timer = setTimeout(() => resolve('late'), this.#timeoutMs);
    this.#waiters.set(key, resolve);
    try {
      await add();
      return await promise;
    } finally {
      clearTimeout(timer);
      this.#waiters.delete(key);
    }
  }

  #settle(key: string, outcome: Outcome): void {
    const waiter = this.#waiters.get(key);
    if (!waiter) return; // another process asked
    this.#admission.finished();
    waiter(outcome);
  }
}

function nonce(): string {
  return randomBytes(6).toString('base64url');
}
