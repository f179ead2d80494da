import { Tally } from '#shared/async/tally.ts';

/** Time over which finished pages are counted, in ms: long enough for a batch or two of a slow printer. */
const WINDOW_MS = 2_000;
/** Pages that may always be ahead: a batch for each of two workers, before anything is known of their speed. */
const MIN_AHEAD = 100;
/** Labels that may wait at most, also while the printers stand still: this bounds the process's memory. */
const MAX_LABELS = 5_000;
/** Share of a label's time limit that the expected wait may take; the rest is for what nobody expects. */
const DEADLINE_SHARE = 0.8;

/**
 * Back pressure: decides whether one more label can still be printed within its time limit. It knows the pages ahead of
 * the label and the rate at which pages were finished lately (Little's law). A label that would be late is refused at
 * once, so that those who wait are served.
 *
 * Ahead of a label are no more pages of each account than its own account has in flight, since accounts take turns: an
 * account that asks for little is not refused because another asks for much.
 *
 * It knows its own process only: of several processes, each has its share of the printers and sees that share.
 */
export class Admission {
  readonly #timeoutMs: number;
  readonly #now: () => number;
  /** Pages that wait, by account. */
  readonly #waiting = new Tally();
  #labels = 0;
  /** What was finished, the oldest first. */
  #finished: { at: number; pages: number }[] = [];

  constructor(timeoutMs: number, now = () => performance.now()) {
    this.#timeoutMs = timeoutMs;
    this.#now = now;
  }

  /** @returns the pages of an account that wait. */
  pagesOf(account: string): number {
    return this.#waiting.of(account);
  }

  /** Counts a label that begins to wait. */
  enter(account: string, pages: number): void {
    this.#labels++;
    this.#waiting.add(account, pages);
  }

  /** Counts that it waits no longer. */
  leave(account: string, pages: number): void {
    this.#labels--;
    this.#waiting.remove(account, pages);
  }

  /** Counts a label that was waited for and was printed or failed. */
  finished(pages: number): void {
    this.#finished.push({ at: this.#now(), pages });
    if (this.#finished.length > 2 * MAX_LABELS) this.#forget();
  }

  /** @returns 0 where one more label of the account may wait, else the seconds after which to try again. */
  retryAfterSeconds(account: string): number {
    const own = this.pagesOf(account);
    let ahead = 0;
    for (const pages of this.#waiting.counts()) ahead += Math.min(pages, own);
    if (ahead < MIN_AHEAD && this.#labels < MAX_LABELS) return 0;
    this.#forget();
    const perMs = this.#finished.reduce((sum, { pages }) => sum + pages, 0) / WINDOW_MS;
    const expectedMs = perMs > 0 ? ahead / perMs : 0;
    const allowedMs = DEADLINE_SHARE * this.#timeoutMs;
    if (this.#labels < MAX_LABELS && expectedMs <= allowedMs) return 0;
    return Math.max(1, Math.ceil((expectedMs - allowedMs) / 1_000));
  }

  #forget(): void {
    const from = this.#now() - WINDOW_MS;
    const first = this.#finished.findIndex(({ at }) => at >= from);
    this.#finished = first < 0 ? [] : this.#finished.slice(first);
  }
}
