import { withTimeout } from '#shared/async/with-timeout.ts';
import type { Logger } from '#shared/observability/logger.ts';

export type SupervisedProcess = {
  /** Resolves with the reason when the process has died, or a use of it hung. */
  readonly failed: Promise<unknown>;
  /**
   * Returns the private memory of the process and its children in bytes, if the system reports it.
   * @throws when the process does not answer.
   */
  checkHealth(): Promise<number | undefined>;
  /** Kills the process at once. Resolves when it has ended, and never rejects. */
  kill(): Promise<void>;
};

/** Why a process starts. `failed` and `recycled` say how the process before ended. */
export type StartReason = 'start' | 'failed' | 'recycled';

export type SupervisorOptions<P> = {
  name: string;
  start(): Promise<P>;
  maxUses: number;
  /** Growth of the private memory in bytes, above which a process is recycled. */
  maxGrowthBytes: number;
  /** Shortest time from any start to the next recycling. */
  recyclePauseMs: number;
  /** Time between two health checks, and the longest duration of one. */
  healthIntervalMs: number;
  /** Also called for a start that then fails. */
  onStart?: ((reason: StartReason) => void) | undefined;
  /** Called when a process begins to serve, and when it has failed and none serves. */
  onServing?: (() => void) | undefined;
};

export type ProcessStatus = {
  /** Without a process the state is `starting`, or `failed` until the next use or health check tries again. */
  state: 'running' | 'starting' | 'failed';
  /** Since when the process is up or missing, in ms since 1970. */
  since: number;
  uses: number;
  /** At the last health check, if the system reports it. */
  memoryBytes?: number;
};

type Instance<P> = {
  readonly process: P;
  /** In ms since 1970. */
  readonly upAt: number;
  uses: number;
  activeUses: number;
  missedChecks: number;
  /** Private memory, when the process was new and now. */
  bytes?: { new: number; now: number } | undefined;
  killed?: Promise<void>;
};

/** A busy machine may miss one health check. A process that misses two in a row hangs. */
const MAX_MISSED_CHECKS = 2;

/**
 * Keeps one process running: replaces a failed one, and recycles one after many uses or when its memory has grown.
 * The successor is up before the old process ends, so no use waits or fails.
 */
export class Supervisor<P extends SupervisedProcess> {
  readonly #options: SupervisorOptions<P>;
  readonly #log: Logger;
  readonly #healthTimer: NodeJS.Timeout;
  /** The serving process, and processes that finish their uses or are being killed. */
  readonly #instances = new Set<Instance<P>>();
  /** The process that gets the next use. */
  #serving: Instance<P> | undefined;
  #starting: Promise<void> | undefined;
  /** In ms since 1970. `#downSince` is the time since which no process has served. */
  #lastStartAt = Date.now();
  #downSince = Date.now();
  #closed = false;

  /** @param first a process that has just been started. */
  constructor(options: SupervisorOptions<P>, first: P, log: Logger) {
    this.#options = options;
    this.#log = log;
    this.#healthTimer = setInterval(() => void this.#checkHealth(), options.healthIntervalMs).unref();
    options.onStart?.('start');
    this.#serve(first);
  }

  /**
   * Runs `work` on the serving process. A process that is recycled stays up until its work ends. Without a serving
   * process, waits for a start.
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

  status(): ProcessStatus {
    if (!this.#serving) {
      return { state: this.#starting ? 'starting' : 'failed', since: this.#downSince, uses: 0 };
    }
    const { upAt: since, uses, bytes } = this.#serving;
    return { state: 'running', since, uses, ...(bytes && { memoryBytes: bytes.now }) };
  }

  /** Rejects if no process serves, or the process missed its last health check. Asks the process nothing. */
  async requireHealthy(): Promise<void> {
    const { name } = this.#options;
    if (!this.#serving) throw new Error(`${name} does not run`);
    if (this.#serving.missedChecks > 0) throw new Error(`${name} did not answer its last health check`);
  }

  /** Kills every process, even in use or during its start, and waits until all have ended. */
  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#healthTimer);
    this.#serving = undefined;
    await Promise.all([...this.#instances].map((instance) => this.#end(instance)));
    await this.#starting?.catch(() => {}); // a start kills its process when `#closed` is set
  }

  /** Joins the current start, or begins one. */
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
    this.#options.onServing?.();
    if (replaced) this.#endIfReplaced(replaced);
    void this.#checkHealth(); // measures its memory while it is new
  }

  /** Kills a process and starts another, once for any number of failed uses. */
  #fail(instance: Instance<P>, reason: unknown): void {
    if (instance.killed) return;
    void this.#end(instance);
    if (instance !== this.#serving) return;
    this.#serving = undefined;
    this.#downSince = Date.now();
    this.#options.onServing?.();
    this.#log.error({ err: reason }, `${this.#options.name} failed, starting another`);
    this.#start('failed').catch(() => {}); // `#open` logs it
  }

  #recycle(instance: Instance<P>, why: string): void {
    const pausing = Date.now() - this.#lastStartAt < this.#options.recyclePauseMs;
    if (instance !== this.#serving || this.#starting || pausing) return;
    this.#log.info(`Recycling ${this.#options.name} ${why}`);
    this.#start('recycled').catch(() => {});
  }

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
    instance.killed ??= instance.process.kill().then(() => void this.#instances.delete(instance));
    return instance.killed;
  }
}

function mib(bytes: number): number {
  return Math.round(bytes / 2 ** 20);
}
