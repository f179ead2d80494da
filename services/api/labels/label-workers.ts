import type { Queue } from 'bullmq';
import { repeat } from '#shared/async/repeat.ts';
import { SingleFlight } from '#shared/async/single-flight.ts';
import { type LabelPayload, TEMPLATE_VERSION } from '#shared/contracts/label-job.ts';
import type { Logger } from '#shared/observability/logger.ts';
import { aliveWorkers, HEARTBEAT_MS, type WorkerHeartbeat } from '#shared/stores/heartbeat.ts';
import type { RedisClient } from '#shared/stores/redis-client.ts';

const READ_MS = 1_000;
/**
 * How long labels still wait for a worker after the last heartbeat is gone from Redis, in ms. Meanwhile a rolling restart
 * replaces a worker, or each worker writes its next heartbeat after an outage of Redis. The heartbeat of a worker that
 * was killed expires after 10 to 15 s, so labels are refused 16 to 22 s after its death.
 */
const ABSENT_MS = HEARTBEAT_MS + 2_000;

type Options = {
  redis: RedisClient;
  prefix: string;
  queue: Pick<Queue, 'isPaused'>;
  log: Pick<Logger, 'info' | 'warn'>;
};

/** Knows from heartbeats and the queue whether labels are printed, and which templates the newest worker has. */
export class LabelWorkers {
  readonly #options: Options;
  #stop: (() => Promise<void>) | undefined;
  /** When a worker was last known to be alive, of `performance.now()`. */
  #aliveAt = performance.now();
  #isPaused = false;
  readonly #rereading = new SingleFlight<void>();
  /** Why labels are refused, as the log has it. */
  #logged: string | undefined;
  #templates: WorkerHeartbeat['templates'] | undefined;

  constructor(options: Options) {
    this.#options = options;
  }

  /** Reads the heartbeats and the queue, then again every second until `stop`. @throws while Redis does not answer. */
  async start(): Promise<void> {
    await this.#read();
    this.#aliveAt = performance.now();
    this.#stop ??= repeat(() => this.#reread(), { pauseMs: READ_MS });
  }

  stop(): void {
    void this.#stop?.();
  }

  /** Returns the workers that are alive, the longest-serving first. */
  async read(): Promise<WorkerHeartbeat[]> {
    const workers = await aliveWorkers(this.#options.redis, this.#options.prefix);
    this.#templates = workers.at(-1)?.templates ?? this.#templates;
    if (workers.length > 0) this.#assumeAlive();
    return workers;
  }

  /** Returns false if no worker would print a label, after heartbeats and queue were read anew. */
  async arePrinting(): Promise<boolean> {
    if (this.#idleness() === undefined) return true;
    await this.#reread();
    const idleness = this.#idleness();
    if (idleness && idleness !== this.#logged) this.#options.log.warn(`Labels are refused: ${idleness}`);
    this.#logged = idleness;
    return idleness === undefined;
  }

  /** Returns the version of the newest worker's template for a kind of label. */
  templateVersion(kind: LabelPayload['kind']): string {
    return this.#templates?.[kind] ?? TEMPLATE_VERSION;
  }

  /** Returns why no labels are printed, as far as is known; undefined if they are. */
  #idleness(): string | undefined {
    if (this.#isPaused) return 'the queue is paused';
    return performance.now() - this.#aliveAt > ABSENT_MS ? 'no label worker is alive' : undefined;
  }

  async #read(): Promise<void> {
    [this.#isPaused] = await Promise.all([this.#options.queue.isPaused(), this.read()]);
  }

  #reread(): Promise<void> {
    return this.#rereading.run(() => this.#read().catch(() => this.#assumeAlive()));
  }

  /** Also called while Redis does not answer: heartbeats that expire meanwhile are written again when it is back. */
  #assumeAlive(): void {
    this.#aliveAt = performance.now();
  }
}
