import type { Queue } from 'bullmq';
import { repeat } from '#shared/async/repeat.ts';
import { SingleFlight } from '#shared/async/single-flight.ts';
import { type LabelPayload, TEMPLATE_VERSION } from '#shared/contracts/label-job.ts';
import type { Logger } from '#shared/observability/logger.ts';
import { aliveWorkers, HEARTBEAT_MS, type WorkerHeartbeat } from '#shared/stores/heartbeat.ts';
import type { RedisClient } from '#shared/stores/redis-client.ts';

const READ_MS = 1_000;
/**
 * How long labels still wait for a worker after the last heartbeat is gone from Redis, in ms: a rolling restart replaces a
 * worker meanwhile, and after an outage of Redis each worker writes its next heartbeat. A worker that closes removes its
 * heartbeat; that of one that was killed expires 10 to 15 s later, so labels are refused 16 to 22 s after its death.
 */
const ABSENT_MS = HEARTBEAT_MS + 2_000;

type Options = {
  redis: RedisClient;
  prefix: string;
  queue: Pick<Queue, 'isPaused'>;
  log: Pick<Logger, 'info' | 'warn'>;
};

/** Knows whether labels are printed: from heartbeats of workers, and from the queue. Knows the newest worker's templates. */
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

  /** Returns false where nobody would print a label. Heartbeats and queue are read anew before it says so. */
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

  /** Returns why nobody prints labels, as far as is known; undefined where somebody does. */
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
