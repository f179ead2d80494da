import { HEARTBEAT_MS, type WorkerHeartbeat } from '#shared/contracts/worker-heartbeat.ts';
import type { Logger } from '#shared/observability/logger.ts';

/** How often the heartbeats of the label workers are read, in ms. */
const LOOK_MS = 1_000;
/**
 * How long after the last sign of a worker labels still wait for one, in ms: a rolling restart replaces a worker meanwhile,
 * and after an outage of Redis each worker writes its next heartbeat.
 */
const ABSENT_MS = HEARTBEAT_MS + 2_000;
/**
 * Share of a label's time limit in which somebody must finish a label while some wait; never less than `ABSENT_MS`, as
 * labels of other processes are known by the heartbeats.
 */
const STUCK_SHARE = 0.8;
/** Labels that must wait before the workers are taken to be stuck: one may be to blame itself. */
const MIN_WAITING = 2;

type Options = {
  /** Reads the heartbeats of the workers that are alive. */
  read: () => Promise<readonly Pick<WorkerHeartbeat, 'id' | 'labels'>[]>;
  timeoutMs: number;
  log: Pick<Logger, 'info' | 'warn'>;
  now?: () => number;
};

/**
 * Tells whether somebody prints labels, so that a label that nobody would print is refused at once: no worker is alive, or
 * none finishes anything while labels wait (docs/contract.md "Labels"). The workers' heartbeats are read every second, not for
 * each label.
 */
export class PrinterWatch {
  readonly #read: Options['read'];
  readonly #stuckMs: number;
  readonly #log: Options['log'];
  readonly #now: () => number;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;
  #heartbeats = '';
  #waiting = 0;
  /** When a worker was last known to be alive, and when one last finished a label or nobody waited. */
  #aliveAt: number;
  #doneAt: number;
  /** Set until a label is finished: one label at a time then waits, and finds out. */
  #stuck = false;
  #refused = false;

  constructor({ read, timeoutMs, log, now = () => performance.now() }: Options) {
    this.#read = read;
    this.#stuckMs = Math.max(STUCK_SHARE * timeoutMs, ABSENT_MS);
    this.#log = log;
    this.#now = now;
    this.#aliveAt = this.#doneAt = now();
  }

  /** Begins to read the heartbeats, until `close`. */
  start(): void {
    this.#aliveAt = this.#doneAt = this.#now();
    this.#timer = setInterval(() => void this.#look(), LOOK_MS).unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /**
   * Counts a label that begins to wait, and returns true; false where nobody would print it. The heartbeats are read anew
   * before it says so.
   */
  async enter(): Promise<boolean> {
    this.#judge();
    if (this.#reason()) await this.#look();
    const reason = this.#reason();
    this.#logChange(reason);
    if (reason) return false;
    if (this.#waiting === 0 && !this.#stuck) this.#doneAt = this.#now();
    this.#waiting++;
    return true;
  }

  /** Counts that it waits no longer. */
  leave(): void {
    this.#judge();
    this.#waiting--;
  }

  /** Tells that a label was printed, or failed: somebody works. */
  finished(): void {
    this.#aliveAt = this.#now();
    this.#works();
  }

  /** Takes the workers to be stuck where nothing was finished for too long while labels waited. */
  #judge(): void {
    if (this.#waiting >= MIN_WAITING && this.#now() - this.#doneAt > this.#stuckMs) this.#stuck = true;
  }

  #reason(): string | undefined {
    if (this.#now() - this.#aliveAt > ABSENT_MS) return 'no label worker is alive';
    if (!this.#stuck || this.#waiting === 0) return undefined;
    return `no label worker has finished anything for ${this.#stuckMs} ms`;
  }

  /** The label that finds out whether the workers are still stuck is no recovery. */
  #logChange(reason: string | undefined): void {
    if (reason && !this.#refused) {
      this.#refused = true;
      this.#log.warn(`Labels are refused: ${reason}`);
    } else if (!reason && !this.#stuck && this.#refused) {
      this.#refused = false;
      this.#log.info('Labels are no longer refused for lack of a worker');
    }
  }

  #works(): void {
    this.#doneAt = this.#now();
    this.#stuck = false;
  }

  /** Shares one reading among all who ask for it meanwhile. */
  #look(): Promise<void> {
    this.#looking ??= this.#lookNow().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  async #lookNow(): Promise<void> {
    try {
      const workers = await this.#read();
      const heartbeats = workers.map(({ id, labels }) => `${id} ${labels}`).join();
      if (workers.length > 0) this.#aliveAt = this.#now();
      if (heartbeats !== this.#heartbeats) this.#works();
      this.#heartbeats = heartbeats;
    } catch {
      // Redis does not tell; heartbeats that expire meanwhile are written again when it is back.
      this.#aliveAt = this.#now();
      this.#works();
    }
  }
}
