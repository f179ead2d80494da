import type { Queue } from 'bullmq';
import { repeat } from '#shared/async/repeat.ts';
import { SingleFlight } from '#shared/async/single-flight.ts';
import type { Logger } from '#shared/observability/logger.ts';
import { TEMPLATE_VERSION } from '#shared/printing/label-job.ts';
import type { PrintKind } from '#shared/printing/print-kinds.ts';
import { MissingHere } from '#shared/stores/dependencies.ts';
import { aliveWorkers, type WorkerHeartbeat } from '#shared/stores/heartbeat.ts';
import type { ProcessRegistry } from '#shared/stores/process-registry.ts';
import type { RedisClient } from '#shared/stores/redis-client.ts';

const READ_MS = 1_000;
/**
 * In ms after the last heartbeat expired: so long labels still wait for a worker. Meanwhile a rolling restart
 * replaces a worker, or workers write again after an outage of Redis. A killed worker's heartbeat expires after 4 to
 * 7 s, so labels are refused 11 to 15 s after its death.
 */
const ABSENT_MS = 7_000;
/** Time without a worker, in ms, after which an api looks whether others see one. A restart of a worker is over by then. */
const MISSED_MS = 45_000;
/** In ms: an api that has seen a worker within this time tells others so. */
const SEEN_MS = 10_000;

type Options = {
  /** The processes of the cell. */
  processes: Pick<ProcessRegistry, 'seesWorkers'>;
  redis: RedisClient;
  prefix: string;
  queue: Pick<Queue, 'isPaused'>;
  log: Pick<Logger, 'info' | 'warn'>;
};

/** Reads from heartbeats and the queue whether labels are printed, and which templates the newest worker has. */
export class LabelWorkers {
  readonly #options: Options;
  #stop: (() => Promise<void>) | undefined;
  /** When a worker was last alive, of `performance.now()`. */
  #aliveAt = performance.now();
  #seenAt = Number.NEGATIVE_INFINITY;
  #isPaused = false;
  readonly #rereading = new SingleFlight<void>();
  /** The reason that was logged last. */
  #logged: string | undefined;
  #templates: WorkerHeartbeat['templates'] | undefined;
  /** The host of a worker that knows no marks. */
  #hostWithoutMarks: string | undefined;
  #loggedHost: string | undefined;

  constructor(options: Options) {
    this.#options = options;
  }

  /** Reads once, then every second until `stop`. @throws while Redis does not answer. */
  async start(): Promise<void> {
    await this.#read();
    this.#aliveAt = performance.now();
    this.#stop ??= repeat(() => this.#reread(), { pauseMs: READ_MS });
  }

  stop(): void {
    void this.#stop?.();
  }

  /** The longest-serving first. */
  async read(): Promise<WorkerHeartbeat[]> {
    const workers = await aliveWorkers(this.#options.redis, this.#options.prefix);
    this.#templates = workers.at(-1)?.templates ?? this.#templates;
    if (workers.length > 0) {
      this.#hostWithoutMarks = workers.find(({ marks }) => !marks)?.host;
      this.#assumeAlive();
      this.#seenAt = performance.now();
    }
    return workers;
  }

  /** Returns whether a worker was alive in the last seconds. */
  get areSeen(): boolean {
    return performance.now() - this.#seenAt < SEEN_MS;
  }

  /**
   * Rejects if no worker was alive for 45 s, or none since the process started.
   * @throws MissingHere if this process has seen none since its start while another api of its cell sees one. That one tells so
   *   only after it has read a heartbeat: an api of the same Redis finds it now, or the worker has died since.
   */
  async requireSome(): Promise<void> {
    if (performance.now() - this.#seenAt < MISSED_MS) return;
    const othersSee = await this.#options.processes.seesWorkers();
    if ((await this.read()).length > 0) return;
    // A process that has served must serve on: others may see the first worker of a new Redis.
    if (othersSee && this.#seenAt === Number.NEGATIVE_INFINITY) {
      throw new MissingHere(
        'Other processes of the api see label workers, and this one none: its REDIS_URL or REDIS_PREFIX is another',
      );
    }
    throw new Error('No label worker is alive');
  }

  /** Returns false if no worker would print a label, even after another read. */
  async arePrinting(): Promise<boolean> {
    if (this.#idleness() === undefined) return true;
    await this.#reread();
    const idleness = this.#idleness();
    if (idleness && idleness !== this.#logged) this.#options.log.warn(`Labels are refused: ${idleness}`);
    this.#logged = idleness;
    return idleness === undefined;
  }

  /**
   * Returns false if a worker would refuse labels with marks, as those of a release before do.
   * @param again reads the heartbeats first.
   */
  async printMarks({ again = false } = {}): Promise<boolean> {
    if (again || this.#hostWithoutMarks !== undefined) await this.#reread();
    const host = this.#hostWithoutMarks;
    if (host !== undefined && host !== this.#loggedHost) {
      this.#options.log.warn(
        `Labels with marks are refused: the label worker on ${host} is of a release that knows none`,
      );
    }
    this.#loggedHost = host;
    return host === undefined;
  }

  /** Of the newest worker's template. */
  templateVersion(kind: PrintKind): string {
    return this.#templates?.[kind] ?? TEMPLATE_VERSION;
  }

  /** Returns why no labels are printed, if known. */
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

  /** Also while Redis is away: heartbeats that expire meanwhile are written again. */
  #assumeAlive(): void {
    this.#aliveAt = performance.now();
  }
}
