import { type Job, Queue, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import { withTimeout } from '#shared/async/with-timeout.ts';
import { LABEL_QUEUE, type LabelPayload, labelJobOptions, labelKey } from '#shared/contracts/label-job.ts';

/** The label queue, where jobs end as a test wants it; printing itself is tested elsewhere. */
export class LabelJobs {
  readonly queue: Queue;
  readonly #redis: Redis;
  readonly #prefix: string;
  #count = 0;

  constructor(redis: Redis, prefix: string) {
    this.#redis = redis.duplicate({ maxRetriesPerRequest: null });
    this.#prefix = prefix;
    this.queue = new Queue(LABEL_QUEUE, { connection: this.#redis, prefix });
  }

  /** A job with one attempt, waiting. @param options.askedAt in ms since 1970. */
  async waiting(
    label: LabelPayload,
    options: { requestId?: string; askedAt?: number; delay?: number } = {},
  ): Promise<Job> {
    const { requestId = 'pedido-1', askedAt = Date.now(), delay = 0 } = options;
    const jobOptions = { ...labelJobOptions(labelKey(label), `n${this.#count++}`), attempts: 1 };
    return this.queue.add(label.kind, { label, requestId }, { ...jobOptions, timestamp: askedAt, delay });
  }

  /** Lets what waits be worked off by `process`, until `count` jobs have ended. */
  async work(count: number, process: (job: Job) => Promise<unknown>): Promise<void> {
    const worker = new Worker(LABEL_QUEUE, process, { connection: this.#redis, prefix: this.#prefix });
    const done = Promise.withResolvers<void>();
    let ended = 0;
    const onEnd = () => ++ended === count && done.resolve();
    worker.on('completed', onEnd).on('failed', onEnd).on('error', done.reject);
    await withTimeout(20_000, 'Working off the jobs', done.promise);
    await worker.close();
  }

  /** A job that has failed with such an error. */
  async failed(label: LabelPayload, error: Error, requestId = 'pedido-1'): Promise<Job> {
    const job = await this.waiting(label, { requestId });
    await this.work(1, async () => {
      throw error;
    });
    return job;
  }

  async close(): Promise<void> {
    await this.queue.close();
    this.#redis.disconnect();
  }
}
