/** Over this time finished labels are counted, in ms: long enough for a batch or two of a slow printer. */
const WINDOW = 2_000;
/** So many may always wait: a batch for each of two workers, with nothing known of their speed yet. */
const ALWAYS = 100;
/** Nobody is let in beyond, also when the printers stand still: it bounds this process's memory. */
const NEVER = 5_000;
/** Part of the deadline that the expected wait may take; the rest is for what was not expected. */
const MARGIN = 0.8;

/**
 * Back pressure: whether one more label can still be printed within the deadline, by how many are waiting and
 * how fast labels have come lately (Little's law). What cannot is refused at once, so that those who wait are
 * served, and nobody waits in vain.
 *
 * It knows its own process only: with several, each has its share of the printers, and sees that share.
 */
export class Admission {
  readonly #deadlineMs: number;
  readonly #now: () => number;
  /** When labels were finished, the oldest first. */
  #finished: number[] = [];

  constructor(deadlineMs: number, now = () => performance.now()) {
    this.#deadlineMs = deadlineMs;
    this.#now = now;
  }

  /** A label that was waited for is there, or has failed. */
  finished(): void {
    this.#finished.push(this.#now());
    if (this.#finished.length > 2 * NEVER) this.#forget();
  }

  /** @returns 0 where one more may wait beside `waiting`, else the seconds after which to try again. */
  retryAfterSeconds(waiting: number): number {
    if (waiting < ALWAYS) return 0;
    this.#forget();
    const perMs = this.#finished.length / WINDOW;
    const expectedMs = perMs > 0 ? waiting / perMs : 0;
    if (waiting < NEVER && expectedMs <= MARGIN * this.#deadlineMs) return 0;
    return Math.max(1, Math.ceil((expectedMs - MARGIN * this.#deadlineMs) / 1_000));
  }

  #forget(): void {
    const from = this.#now() - WINDOW;
    const first = this.#finished.findIndex((time) => time >= from);
    this.#finished = first < 0 ? [] : this.#finished.slice(first);
  }
}
