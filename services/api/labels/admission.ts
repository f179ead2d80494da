/** Time over which finished labels are counted, in ms: long enough for a batch or two of a slow printer. */
const WINDOW_MS = 2_000;
/** Labels that may always wait: a batch for each of two workers, before anything is known of their speed. */
const MIN_QUEUED = 100;
/** Labels that may wait at most, also while the printers stand still: this bounds the process's memory. */
const MAX_QUEUED = 5_000;
/** Share of a label's time limit that the expected wait may take; the rest is for what nobody expects. */
const DEADLINE_SHARE = 0.8;

/**
 * Back pressure: decides whether one more label can still be printed within its time limit, by the labels that wait and
 * the rate at which labels were finished lately (Little's law). A label that cannot is refused at once, so that those
 * who wait are served.
 *
 * It knows its own process only: of several processes, each has its share of the printers and sees that share.
 */
export class Admission {
  readonly #timeoutMs: number;
  readonly #now: () => number;
  /** When labels were finished, the oldest first. */
  #finished: number[] = [];

  constructor(timeoutMs: number, now = () => performance.now()) {
    this.#timeoutMs = timeoutMs;
    this.#now = now;
  }

  /** Counts a label that was waited for and was printed or failed. */
  finished(): void {
    this.#finished.push(this.#now());
    if (this.#finished.length > 2 * MAX_QUEUED) this.#forget();
  }

  /** @returns 0 where one more label may wait beside `queued` others, else the seconds after which to try again. */
  retryAfterSeconds(queued: number): number {
    if (queued < MIN_QUEUED) return 0;
    this.#forget();
    const perMs = this.#finished.length / WINDOW_MS;
    const expectedMs = perMs > 0 ? queued / perMs : 0;
    const allowedMs = DEADLINE_SHARE * this.#timeoutMs;
    if (queued < MAX_QUEUED && expectedMs <= allowedMs) return 0;
    return Math.max(1, Math.ceil((expectedMs - allowedMs) / 1_000));
  }

  #forget(): void {
    const from = this.#now() - WINDOW_MS;
    const first = this.#finished.findIndex((time) => time >= from);
    this.#finished = first < 0 ? [] : this.#finished.slice(first);
  }
}
