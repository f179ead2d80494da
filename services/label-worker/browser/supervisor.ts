import { withTimeout } from '#shared/async/with-timeout.ts';
import type { Logger } from '#shared/observability/logger.ts';

/** A running process, as its supervisor sees it. */
export type SupervisedProcess = {
  /** Resolves with the reason once the process can no longer be trusted: it died, or what it was given hung. */
  readonly failed: Promise<unknown>;
  /**
   * Returns the private memory of the process and its children in bytes; undefined where the system does not tell.
   *
   * @throws when the process does not answer.
   */
  checkHealth(): Promise<number | undefined>;
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
  /** Growth of a process's private memory, since it was new, above which it is recycled, in bytes. */
  maxGrowthBytes: number;
  /** Least time from any start to the next recycling, in ms. */
  recyclePauseMs: number;
  /** Time between two health checks, and the longest that one may take, in ms. */
  healthIntervalMs: number;
  /** Called for each start, also for one that then fails. */
  onStart?: ((reason: StartReason) => void) | undefined;
};

export type ProcessStatus = {
  /** Without a process the state is `starting`, or `failed` until the next use or health check tries again. */
  state: 'running' | 'starting' | 'failed';
  /** Since when the process is up, or since when there is none, in ms since 1970. */
  since: number;
  /** Uses of the process that have ended. */
  uses: number;
  /** Private memory at the last health check; absent where the system does not tell. */
  memoryBytes?: number;
};

/** A process, from when it is up until it is gone. */
type Instance<P> = {
  readonly process: P;
  /** In ms since 1970. */
  readonly upAt: number;
  uses: number;
  activeUses: number;
  missedChecks: number;
  /** Private memory when it was new, and now. */
  bytes?: { new: number; now: number } | undefined;
  /** Set once it is killed. */
  gone?: Promise<void>;
};

/** Missed health checks in a row that make a failure: one is a busy machine, two are a process that hangs. */
const MAX_MISSED_CHECKS = 2;

/**
 * Keeps one process running: replaces a process that fails, and recycles one after many uses or when its memory has
 * grown. The successor of a recycled process is up before the old one goes, so no use waits or fails for it.
 */
export class Supervisor<P extends SupervisedProcess> {
  readonly #options: SupervisorOptions<P>;
  readonly #log: Logger;
  readonly #healthTimer: NodeJS.Timeout;
  /** The serving process, and those that only finish their uses or are being killed. */
  readonly #instances = new Set<Instance<P>>();
  /** Takes the next use. */
  #serving: Instance<P> | undefined;
  /** The start under way: there is one at most. */
  #starting: Promise<void> | undefined;
  /** In ms since 1970, as is `#downSince`, which counts while no process serves. */
  #lastStartAt = Date.now();
  #downSince = Date.now();
  #closed = false;

  /** @param first has just been started. */
  constructor(options: SupervisorOptions<P>, first: P, log: Logger) {
    this.#options = options;
    this.#log = log;
    this.#healthTimer = setInterval(() => void this.#checkHealth(), options.healthIntervalMs).unref();
    options.onStart?.('start');
    this.#serve(first);
  }

  /**
   * Runs `work` on the serving process, which stays up until `work` is done even when it is recycled meanwhile. Where
   * none serves, waits for the start under way, or starts one.
   *
   * @throws what `work` or that start throws; any error after `close`.
   */
  async use<T>(work: (process: P) => Promise<T>): Promise<T> {
    while (!this.#serving) await this.#start('failed');
    const instance = this.#serving;
    instance.activeUses++;
    try {
      return await work(instance.process);
    } finally {
      instance.activeUses--;
      instance.uses++;
      this.#endIfReplaced(instance);
      if (instance.uses >= this.#options.maxUses) this.#recycle(instance, `after ${instance.uses} uses`);
    }
  }

  /** Returns the state at once, whatever a process or a start does. */
  status(): ProcessStatus {
    if (!this.#serving) {
      return { state: this.#starting ? 'starting' : 'failed', since: this.#downSince, uses: 0 };
    }
    const { upAt: since, uses, bytes } = this.#serving;
    return { state: 'running', since, uses, ...(bytes && { memoryBytes: bytes.now }) };
  }

  /** Rejects when no process serves, or when it missed its last health check. Asks the process nothing. */
  async requireHealthy(): Promise<void> {
    const { name } = this.#options;
    if (!this.#serving) throw new Error(`${name} does not run`);
    if (this.#serving.missedChecks > 0) throw new Error(`${name} did not answer its last health check`);
  }

  /** Kills every process, also one that has uses or only starts. Resolves when all are gone. */
  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#healthTimer);
    this.#serving = undefined;
    await Promise.all([...this.#instances].map((instance) => this.#end(instance)));
    await this.#starting?.catch(() => {}); // it kills what it started
  }

  /** Starts a process that takes the next use, or joins the start under way. */
  async #start(reason: StartReason): Promise<void> {
    if (this.#closed) throw new Error(`${this.#options.name} is closed`);
    this.#starting ??= this.#open(reason).finally(() => {
      this.#starting = undefined;
    });
    return this.#starting;
  }

  async #open(reason: StartReason): Promise<void> {
    const { name, onStart, start } = this.#options;
    this.#lastStartAt = Date.now();
    onStart?.(reason);
    try {
      const process = await start();
      if (this.#closed) await process.kill();
      else this.#serve(process);
    } catch (err) {
      const next = this.#serving ? 'the old one serves on' : 'the next use or health check tries again';
      if (!this.#closed) this.#log.error({ err }, `${name} did not start, ${next}`);
      throw err;
    }
  }

  #serve(process: P): void {
    const instance = { process, upAt: Date.now(), uses: 0, activeUses: 0, missedChecks: 0 };
    this.#instances.add(instance);
    void process.failed.then((reason) => this.#fail(instance, reason));
    const replaced = this.#serving;
    this.#serving = instance;
    if (replaced) this.#endIfReplaced(replaced);
    void this.#checkHealth(); // measures its memory while it is new
  }

  /** Kills a process and starts another in its place, once however many of its uses failed. */
  #fail(instance: Instance<P>, reason: unknown): void {
    if (instance.gone) return;
    void this.#end(instance);
    if (instance !== this.#serving) return; // another has replaced it already
    this.#serving = undefined;
    this.#downSince = Date.now();
    this.#log.error({ err: reason }, `${this.#options.name} failed, starting another`);
    this.#start('failed').catch(() => {}); // is in the log
  }

  #recycle(instance: Instance<P>, why: string): void {
    const pausing = Date.now() - this.#lastStartAt < this.#options.recyclePauseMs;
    if (instance !== this.#serving || this.#starting || pausing) return;
    this.#log.info(`Recycling ${this.#options.name} ${why}`);
    this.#start('recycled').catch(() => {});
  }

  /** Checks the serving process, and its memory; starts one where there is none. */
  async #checkHealth(): Promise<void> {
    const { name, healthIntervalMs, maxGrowthBytes } = this.#options;
    const instance = this.#serving;
    if (!instance) return this.#start('failed').catch(() => {});
    try {
      const check = instance.process.checkHealth();
      const now = await withTimeout(healthIntervalMs, `${name}'s health check`, check);
      instance.missedChecks = 0;
      instance.bytes = now === undefined ? undefined : { new: instance.bytes?.new ?? now, now };
    } catch (reason) {
      instance.missedChecks++;
      if (instance.missedChecks >= MAX_MISSED_CHECKS) this.#fail(instance, reason);
    }
    const { bytes } = instance;
    if (!bytes || bytes.now - bytes.new <= maxGrowthBytes) return;
    this.#recycle(instance, `at ${mib(bytes.now)} MiB, from ${mib(bytes.new)} MiB when it was new`);
  }

  #endIfReplaced(instance: Instance<P>): void {
    if (instance !== this.#serving && instance.activeUses === 0) void this.#end(instance);
  }

  #end(instance: Instance<P>): Promise<void> {
    instance.gone ??= instance.process.kill().then(() => void this.#instances.delete(instance));
    return instance.gone;
  }
}

function mib(bytes: number): number {
  return Math.round(bytes / 2 ** 20);
}
