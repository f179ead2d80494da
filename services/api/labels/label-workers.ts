import { type LabelPayload, TEMPLATE_VERSION } from '#shared/contracts/label-job.ts';
import type { Logger } from '#shared/observability/logger.ts';
import type { RedisClient } from '#shared/stores/redis-client.ts';
import { aliveWorkers, HEARTBEAT_MS, type WorkerHeartbeat } from '#shared/stores/worker-heartbeat.ts';

const READ_MS = 1_000;
/**
 * How long after the last heartbeat labels still wait for a worker, in ms: a rolling restart replaces a worker meanwhile,
 * and after an outage of Redis each worker writes its next heartbeat.
 */
const ABSENT_MS = HEARTBEAT_MS + 2_000;

/** Knows from heartbeats whether a label worker is alive, and which templates the newest one has. */
export class LabelWorkers {
  readonly #redis: RedisClient;
  readonly #prefix: string;
  readonly #log: Pick<Logger, 'info' | 'warn'>;
  #timer: NodeJS.Timeout | undefined;
  /** When a worker was last known to be alive, of `performance.now()`. */
  #aliveAt = performance.now();
  #rereading: Promise<void> | undefined;
  #absenceLogged = false;
  #templates: WorkerHeartbeat['templates'] | undefined;

  constructor(redis: RedisClient, prefix: string, log: Pick<Logger, 'info' | 'warn'>) {
    this.#redis = redis;
    this.#prefix = prefix;
    this.#log = log;
  }

  /** Reads the heartbeats, then again every second until `stop`. @throws while Redis does not answer. */
  async start(): Promise<void> {
    await this.read();
    this.#aliveAt = performance.now();
    this.#timer ??= setInterval(() => void this.#reread(), READ_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Returns the workers that are alive, the longest-serving first. */
  async read(): Promise<WorkerHeartbeat[]> {
    const workers = await aliveWorkers(this.#redis, this.#prefix);
    this.#templates = workers.at(-1)?.templates ?? this.#templates;
    if (workers.length > 0) this.#assumeAlive();
    return workers;
  }

  /** Returns false where nobody would print a label. The heartbeats are read anew before it says so. */
  async areAlive(): Promise<boolean> {
    if (this.#seemAlive()) return true;
    this.#rereading ??= this.#reread().finally(() => {
      this.#rereading = undefined;
    });
    await this.#rereading;
    const alive = this.#seemAlive();
    if (!alive && !this.#absenceLogged) this.#log.warn('Labels are refused: no label worker is alive');
    this.#absenceLogged = !alive;
    return alive;
  }

  /** Returns the version of the newest worker's template for a kind of label. */
  templateVersion(kind: LabelPayload['kind']): string {
    return this.#templates?.[kind] ?? TEMPLATE_VERSION;
  }

  #seemAlive(): boolean {
    return performance.now() - this.#aliveAt <= ABSENT_MS;
  }

  async #reread(): Promise<void> {
    await this.read().catch(() => this.#assumeAlive());
  }

  /** Also called while Redis does not answer: heartbeats that expire meanwhile are written again when it is back. */
  #assumeAlive(): void {
    this.#aliveAt = performance.now();
  }
}
