import { randomBytes } from 'node:crypto';
import { Queue, QueueEvents } from 'bullmq';
import type { Redis } from 'ioredis';
import { DomainError } from '../../../shared/errors.ts';
import { labelReader } from '../../../shared/label-cache.ts';
import {
  keyOfJob,
  LABEL_QUEUE,
  type LabelJob,
  type LabelJobResult,
  type LabelPayload,
  labelJobOptions,
  labelKey,
} from '../../../shared/label-job.ts';
import type { Logger } from '../../../shared/logger.ts';
import { Admission } from './admission.ts';

type Outcome = 'printed' | 'failed' | 'late';
type Waiter = (outcome: Outcome) => void;

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
  readonly #waiters = new Map<string, Set<Waiter>>();

  /**
   * @param options.redis for commands, fails fast; @param options.blocking for the events, waits.
   * @param options.deadlineMs longest wait for a label.
   */
  constructor(options: { redis: Redis; blocking: Redis; prefix: string; deadlineMs: number; log: Logger }) {
    const { redis, blocking, prefix, deadlineMs, log } = options;
    this.#read = labelReader(redis, prefix);
    this.#deadlineMs = deadlineMs;
    this.#admission = new Admission(deadlineMs);
    this.#queue = new Queue(LABEL_QUEUE, { connection: redis, prefix, skipVersionCheck: true });
    this.#events = new QueueEvents(LABEL_QUEUE, { connection: blocking, prefix });
    this.#queue.on('error', (error) => log.warn({ err: error }, 'label queue'));
    this.#events.on('error', (error) => log.warn({ err: error }, 'label queue events'));
    this.#events.on('completed', ({ jobId }) => this.#settle(jobId, 'printed'));
    this.#events.on('failed', ({ jobId }) => this.#settle(jobId, 'failed'));
  }

  /** Resolves when the queue's events are being listened to. */
  async open(): Promise<void> {
    await this.#events.waitUntilReady();
  }

  async close(): Promise<void> {
    await Promise.all([this.#events.close(), this.#queue.close()]);
  }

  /**
   * @param requestId goes with the job, so that the label can be followed in the worker's log.
   * @throws DomainError `overloaded` at once when too many wait already, with the seconds after which to try
   * again; `label-failed` when it cannot be printed, or not within the deadline.
   */
  async print(label: LabelPayload, requestId: string): Promise<PrintedLabel> {
    const key = labelKey(label);
    const cached = await this.#read(key);
    if (cached) return { key, pdf: cached };
    const seconds = this.#waiters.has(key) ? 0 : this.#admission.secondsToWait(this.#waiters.size);
    if (seconds > 0) throw new DomainError('overloaded', { params: { seconds } });
    const wait = this.#listen(key);
    try {
      await this.#queue.add(label.kind, { label, requestId }, labelJobOptions(key, nonce()));
      const outcome = await wait.outcome;
      // Also when late: the event may have been lost with a connection while the label was printed.
      const pdf = outcome === 'failed' ? null : await this.#read(key);
      if (pdf) return { key, pdf };
      throw new DomainError('label-failed', { cause: new Error(`label ${key}: ${outcome}`) });
    } finally {
      wait.stop();
    }
  }

  /** Listens before the job is added, so that no outcome is missed. */
  #listen(key: string): { outcome: Promise<Outcome>; stop: () => void } {
    const waiters = this.#waiters.get(key) ?? new Set();
    this.#waiters.set(key, waiters);
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    const timer = setTimeout(() => resolve('late'), this.#deadlineMs);
    waiters.add(resolve);
    const stop = () => {
      clearTimeout(timer);
      waiters.delete(resolve);
      if (waiters.size === 0 && this.#waiters.get(key) === waiters) this.#waiters.delete(key);
    };
    return { outcome: promise, stop };
  }

  #settle(jobId: string, outcome: Outcome): void {
    const waiters = this.#waiters.get(keyOfJob(jobId));
    if (!waiters) return; // another process asked
    this.#admission.finished();
    for (const waiter of waiters) waiter(outcome);
  }
}

function nonce(): string {
  return randomBytes(6).toString('base64url');
}
