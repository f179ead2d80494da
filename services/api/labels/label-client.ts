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

/** A label's finished PDF, and its key, which is its ETag too. */
export type PrintedLabel = { key: string; pdf: Buffer };

/**
 * Labels, as the API asks for them: from the cache, else through the queue, waiting for the job's end.
 *
 * There is one listener for the queue's events and one map of waiters a process: BullMQ's own
 * `waitUntilFinished` adds listeners with every call.
 */
export class LabelClient {
  readonly #read: (key: string) => Promise<Buffer | null>;
  readonly #deadlineMs: number;
  readonly #admission: Admission;
  readonly #queue: Queue<LabelJob, LabelJobResult>;
  readonly #events: QueueEvents;
  readonly #metrics: ReturnType<typeof labelMetrics>;
  readonly #inFlight = new Map<string, Promise<LabelResult>>();
  readonly #waiters = new Map<string, (outcome: Outcome) => void>();

  /**
   * @param options.redis for commands, fails fast; @param options.blocking for the events, waits.
   * @param options.deadlineMs longest wait for a label.
   */
  constructor(options: {
    redis: Redis;
    blocking: Redis;
    prefix: string;
    deadlineMs: number;
    log: Pick<Logger, 'warn'>;
    metrics: Registry;
    tracing: Tracing | undefined;
  }) {
    const { redis, blocking, prefix, deadlineMs, log, metrics, tracing } = options;
    this.#read = labelReader(redis, prefix);
    this.#deadlineMs = deadlineMs;
    this.#admission = new Admission(deadlineMs);
    this.#queue = new Queue(LABEL_QUEUE, {
      connection: redis,
      prefix,
      skipVersionCheck: true,
      ...(tracing && { telemetry: tracing.queue }),
    });
    this.#events = new QueueEvents(LABEL_QUEUE, { connection: blocking, prefix });
    this.#metrics = labelMetrics(metrics, this.#queue, () => aliveWorkers(redis, prefix));
    this.#queue.on('error', (error) => log.warn({ err: error }, 'label queue'));
    this.#events.on('error', (error) => log.warn({ err: error }, 'label queue events'));
    this.#events.on('completed', ({ jobId }) => this.#settle(keyOfJob(jobId), 'printed'));
    this.#events.on('failed', ({ jobId }) => this.#settle(keyOfJob(jobId), 'failed'));
  }

  /** Resolves when the queue's events are being listened to. */
  async open(): Promise<void> {
    await this.#events.waitUntilReady();
  }

  async close(): Promise<void> {
    await Promise.all([this.#events.close(), this.#queue.close()]);
  }

  /**
   * Asked before anything is looked up for a label: a refusal must cost next to nothing, or those who are refused take
   * from those who are served. A label that is printed already is refused too.
   *
   * @throws DomainError `overloaded` when too many wait already, with the seconds after which to try again.
   */
  admit(): void {
    const seconds = this.#admission.retryAfterSeconds(this.#waiters.size);
    if (seconds === 0) return;
    this.#metrics.failed('overloaded');
    throw new DomainError('overloaded', { params: { seconds } });
  }

  /**
   * Whoever asks for a label that is being got already gets the same, or the same failure: a thousand at once are one
   * job and one read.
   *
   * @param requestId goes with the job, so that the label can be followed in the worker's log.
   * @throws DomainError as `admit` does; `label-failed` when it cannot be printed, or not within the deadline.
   */
  async print(label: LabelPayload, requestId: string): Promise<PrintedLabel> {
    const asked = performance.now();
    const key = labelKey(label);
    let got = this.#inFlight.get(key);
    if (!got) {
      got = this.#get(key, label, requestId).finally(() => this.#inFlight.delete(key));
      this.#inFlight.set(key, got);
    }
    const { source, pdf } = await got;
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
    // Also when late: the event may have been lost with a connection while the label was printed.
    const pdf = outcome === 'failed' ? null : await this.#read(key);
    if (pdf) return { source: 'printed', pdf };
    this.#metrics.failed(outcome === 'late' ? 'late' : 'failed');
    throw new DomainError('label-failed', { cause: new Error(`label ${key}: ${outcome}`) });
  }

  /** Listens before the job is added, so that no outcome is missed. */
  async #awaitJob(key: string, add: () => Promise<unknown>): Promise<Outcome> {
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    const timer = setTimeout(() => resolve('late'), this.#deadlineMs);
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
