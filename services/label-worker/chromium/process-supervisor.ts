import { withTimeout } from '#shared/async/with-timeout.ts';
import type { Logger } from '#shared/observability/logger.ts';

/** A running process, as its supervisor sees it. */
export type SupervisedProcess = {
  /** Resolves with the reason once the process can no longer be trusted: it died, or what it was given hung. */
  readonly failed: Promise<unknown>;
  /** Rejects when the process does not answer. */
  ping(): Promise<unknown>;
  /** Returns the resident memory of the process and all its children, in bytes. */
  residentBytes(): Promise<number>;
  /** Kills the process at once. Resolves, and never rejects, when it is gone. */
  kill(): Promise<void>;
};

/** Why a process starts: with the service, in place of one that failed, or as the successor of a recycled one. */
export type StartReason = 'start' | 'failed' | 'recycled';

export type SupervisorOptions<P> = {
  /** Names the process in log messages. */
  name: string;
  start(): Promise<P>;
  /** Uses after which a process is recycled. */
  maxUses: number;
  /** Resident memory above which a process is recycled, in bytes. */
  maxMemoryBytes: number;
  /** Time between two health checks, and the longest that one may take, in ms. */
  healthIntervalMs: number;
  /** Called before each start, also before one that then fails. */
  onStart?(reason: StartReason): void;
};

/**
 * A process that has started, until it is gone.
 *
 * | state | what it does | next |
 * |---|---|---|
 * | `serving` | takes every use | `recycling`, `ended` |
 * | `recycling` | takes every use while its successor starts | `retired`; `serving` when no successor starts; `ended` |
 * | `retired` | finishes the uses that it has, while its successor takes the next | `ended` |
 * | `ended` | is killed | |
 */
type Generation<P> = {
  readonly process: P;
  /** In ms since 1970. */
  readonly startedAt: number;
  readonly healthTimer: NodeJS.Timeout;
  state: 'serving' | 'recycling' | 'retired' | 'ended';
  uses: number;
  activeUses: number;
  residentBytes: number;
  missedChecks: number;
  /** Once it is `ended`: resolves when it is gone. */
  gone?: Promise<void>;
};

/** Missed health checks in a row that make a failure: one is a busy machine, two are a process that hangs. */
const MAX_MISSED_CHECKS = 2;

/**
 * Keeps one process running: replaces it when it fails, and recycles it after many uses or when it has grown too
 * large. The successor of a recycled process is up before that process goes, so no use waits or fails for it.
 */
export class ProcessSupervisor<P extends SupervisedProcess> {
  readonly #options: SupervisorOptions<P>;
  readonly #log: Logger;
  readonly #starts = new Set<Promise<unknown>>();
  readonly #running = new Set<Generation<P>>();
  /** The process that takes the next use; rejects where its start failed. */
  #current: Promise<Generation<P>>;
  #closed = false;

  private constructor(options: SupervisorOptions<P>, log: Logger) {
    this.#options = options;
    this.#log = log;
    this.#current = this.#startCurrent('start');
  }

  /** Starts the first process. @throws what its start throws. */
  static async start<P extends SupervisedProcess>(
    options: SupervisorOptions<P>,
    log: Logger,
  ): Promise<ProcessSupervisor<P>> {
    const supervisor = new ProcessSupervisor(options, log);
    await supervisor.#current;
    return supervisor;
  }

  /**
   * Runs `work` on the current process, which stays up until `work` is done even when it is recycled meanwhile.
   * Where the last start failed, another process is started first.
   *
   * @throws what `work` throws, or that start; any error after `close`.
   */
  async use<T>(work: (process: P) => Promise<T>): Promise<T> {
    const generation = await this.#acquire();
    try {
      return await work(generation.process);
    } finally {
      generation.activeUses--;
      generation.uses++;
      this.#endIfDrained(generation);
      if (generation.uses >= this.#options.maxUses) {
        void this.#recycle(generation, `after ${generation.uses} uses`);
      }
    }
  }

  /** Rejects when the current process missed its last health check, or when none starts. */
  async requireHealthy(): Promise<void> {
    const { missedChecks } = await this.#live();
    if (missedChecks > 0) throw new Error(`${this.#options.name} did not answer its last health check`);
  }

  /** Returns the figures of the current process, once it has started; undefined where its start failed. */
  async status(): Promise<{ startedAt: number; uses: number; residentBytes: number } | undefined> {
    const generation = await this.#current.catch(() => undefined);
    if (!generation) return undefined;
    const { startedAt, uses, residentBytes } = generation;
    return { startedAt, uses, residentBytes };
  }

  /** Kills every process, also one that still starts or still has uses. Resolves when all are gone. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#running].map((generation) => this.#end(generation)));
    await Promise.allSettled(this.#starts); // each finds the supervisor closed, and kills what it started
  }

  async #acquire(): Promise<Generation<P>> {
    const generation = await this.#live();
    // It may have been retired, or have failed, between the moment it was up and this one.
    if (generation.state === 'retired' || generation.state === 'ended') return this.#acquire();
    generation.activeUses++;
    return generation;
  }

  /** Returns the current process; starts another where the last start failed. */
  #live(): Promise<Generation<P>> {
    if (this.#closed) return Promise.reject(this.#closedError());
    this.#current = this.#current.catch(() => this.#startCurrent('failed'));
    return this.#current;
  }

  async #startCurrent(reason: StartReason): Promise<Generation<P>> {
    return this.#watch(await this.#start(reason));
  }

  #start(reason: StartReason): Promise<Generation<P>> {
    this.#options.onStart?.(reason);
    const start = this.#open().finally(() => this.#starts.delete(start));
    this.#starts.add(start);
    return start;
  }

  async #open(): Promise<Generation<P>> {
    const process = await this.#options.start();
    const residentBytes = await process.residentBytes().catch(() => 0);
    if (this.#closed) {
      await process.kill();
      throw this.#closedError();
    }
    const check = () => void this.#checkHealth(generation);
    const generation: Generation<P> = {
      process,
      startedAt: Date.now(),
      healthTimer: setInterval(check, this.#options.healthIntervalMs).unref(),
      state: 'serving',
      uses: 0,
      activeUses: 0,
      residentBytes,
      missedChecks: 0,
    };
    this.#running.add(generation);
    return generation;
  }

  /** Replaces the process when it fails. Only for the current one: a successor that fails before that is no loss. */
  #watch(generation: Generation<P>): Generation<P> {
    void generation.process.failed.then((reason) => this.#fail(generation, reason));
    return generation;
  }

  /** Kills a process and starts another in its place, once however many of its uses failed. */
  #fail(generation: Generation<P>, reason: unknown): void {
    if (generation.state === 'ended') return;
    const isReplaced = generation.state === 'retired';
    void this.#end(generation);
    if (isReplaced) return;
    const { name } = this.#options;
    this.#log.error({ err: reason }, `${name} failed, starting another`);
    this.#current = this.#startCurrent('failed');
    this.#current.catch((err) => {
      if (!this.#closed) this.#log.error({ err }, `${name} did not start, the next use tries again`);
    });
  }

  async #recycle(generation: Generation<P>, why: string): Promise<void> {
    if (generation.state !== 'serving') return;
    generation.state = 'recycling';
    const { name } = this.#options;
    this.#log.info(`Recycling ${name} ${why}`);
    try {
      const successor = await this.#start('recycled');
      // The recycled process has failed meanwhile, and has been replaced already.
      if (generation.state !== 'recycling') return await this.#end(successor);
      this.#current = Promise.resolve(this.#watch(successor));
      generation.state = 'retired';
      this.#endIfDrained(generation);
    } catch (err) {
      if (generation.state !== 'recycling') return;
      this.#log.error({ err }, `No successor of ${name} starts, the old one serves on`);
      generation.state = 'serving';
      generation.uses = 0; // tried again after as many uses
    }
  }

  #endIfDrained(generation: Generation<P>): void {
    if (generation.state === 'retired' && generation.activeUses === 0) void this.#end(generation);
  }

  #end(generation: Generation<P>): Promise<void> {
    generation.state = 'ended';
    clearInterval(generation.healthTimer);
    generation.gone ??= generation.process.kill().then(() => void this.#running.delete(generation));
    return generation.gone;
  }

  async #checkHealth(generation: Generation<P>): Promise<void> {
    const { name, healthIntervalMs, maxMemoryBytes } = this.#options;
    try {
      await withTimeout(healthIntervalMs, `${name}'s health check`, generation.process.ping());
      generation.missedChecks = 0;
    } catch (reason) {
      generation.missedChecks++;
      if (generation.missedChecks >= MAX_MISSED_CHECKS) this.#fail(generation, reason);
      return;
    }
    generation.residentBytes = await generation.process.residentBytes().catch(() => generation.residentBytes);
    if (generation.residentBytes > maxMemoryBytes) {
      await this.#recycle(generation, `at ${Math.round(generation.residentBytes / 2 ** 20)} MiB`);
    }
  }

  #closedError(): Error {
    return new Error(`${this.#options.name} is closed`);
  }
}
