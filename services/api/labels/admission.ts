import { DomainError } from '#shared/errors.ts';

/** Time over which finished pages are counted, in ms: long enough for a batch or two of a slow printer. */
const WINDOW_MS = 2_000;
/** Pages that may always be ahead: a batch for each of two workers, before anything is known of their speed. */
const MIN_AHEAD = 100;
/** Most labels that wait, also while the printers stand still: this bounds the process's memory. */
const MAX_LABELS = 5_000;
/** Share of a label's time limit that the expected wait may take; the rest is for what nobody expects. */
const DEADLINE_SHARE = 0.8;
/** Labels that must wait before the printers count as stuck: one label may be to blame itself. */
const MIN_STUCK_LABELS = 2;
/** When an account with too many pages in flight may try again, in seconds: a second prints more pages than a label has. */
const RETRY_AFTER_S = 1;

export type Application = {
  account: string;
  key: string;
  pages: number;
  /** Most pages that the account may have in flight. */
  maxPages: number;
};

/** What an account has in flight: its pages, and of each label how many requests wait for it. */
type InFlight = { pages: number; askers: Map<string, number> };

/**
 * Decides whether one more label may wait to be printed. Each account has a limit of pages in flight, and a label that
 * would not be printed within its time limit is refused at once, so that those who wait are served.
 *
 * Ahead of a label are no more pages of each account than its own account has in flight (`placeInLine`), so an account
 * that asks for little is not refused because another asks for much. The printers' speed is the rate at which pages were
 * finished lately (Little's law).
 *
 * Each process counts for itself: of several processes, each has its share of the printers and sees that share.
 */
export class Admission {
  readonly #timeoutMs: number;
  readonly #now: () => number;
  readonly #accounts = new Map<string, InFlight>();
  #labels = 0;
  /** What was finished, the oldest first. */
  #finished: { at: number; pages: number }[] = [];
  /** When a label was last finished, or began to wait alone. */
  #progressAt = 0;

  constructor(timeoutMs: number, now = () => performance.now()) {
    this.#timeoutMs = timeoutMs;
    this.#now = now;
  }

  pagesOf(account: string): number {
    return this.#accounts.get(account)?.pages ?? 0;
  }

  /**
   * Counts a label of an account that begins to wait. A label that the account already waits for counts once.
   *
   * @returns what ends the wait, to be called once.
   * @throws DomainError `too-many-pages`, or `overloaded` with the seconds after which to try again.
   */
  enter(application: Application): () => void {
    const { account, key, pages } = application;
    const own = this.#accounts.get(account) ?? { pages: 0, askers: new Map() };
    const askers = own.askers.get(key) ?? 0;
    if (askers === 0) {
      this.#admit(application, own.pages);
      if (this.#labels === 0) this.#progressAt = this.#now();
      this.#labels++;
      own.pages += pages;
      this.#accounts.set(account, own);
    }
    own.askers.set(key, askers + 1);
    return () => this.#leave(application, own);
  }

  /** Counts a label that was waited for and was printed or failed. */
  finished(pages: number): void {
    this.#progressAt = this.#now();
    this.#finished.push({ at: this.#progressAt, pages });
    if (this.#finished.length > 2 * MAX_LABELS) this.#forget();
  }

  #leave({ account, key, pages }: Application, own: InFlight): void {
    const left = (own.askers.get(key) ?? 0) - 1;
    if (left > 0) {
      own.askers.set(key, left);
      return;
    }
    own.askers.delete(key);
    own.pages -= pages;
    this.#labels--;
    if (own.askers.size === 0) this.#accounts.delete(account);
  }

  #admit({ pages, maxPages }: Application, ownPages: number): void {
    // A label is never too large to be alone.
    if (ownPages > 0 && ownPages + pages > maxPages) throw refusal('too-many-pages', RETRY_AFTER_S);
    const seconds = this.#retryAfterSeconds(ownPages);
    if (seconds > 0) throw refusal('overloaded', seconds);
  }

  /** Returns 0 where one more label of an account with so many pages may wait, else the seconds after which to try again. */
  #retryAfterSeconds(ownPages: number): number {
    const allowedMs = DEADLINE_SHARE * this.#timeoutMs;
    if (this.#labels >= MIN_STUCK_LABELS && this.#now() - this.#progressAt > allowedMs) return 1;
    let ahead = 0;
    for (const { pages } of this.#accounts.values()) ahead += Math.min(pages, ownPages);
    if (ahead < MIN_AHEAD && this.#labels < MAX_LABELS) return 0;
    this.#forget();
    const perMs = this.#finished.reduce((sum, { pages }) => sum + pages, 0) / WINDOW_MS;
    const expectedMs = perMs > 0 ? ahead / perMs : 0;
    if (this.#labels < MAX_LABELS && expectedMs <= allowedMs) return 0;
    return Math.max(1, Math.ceil((expectedMs - allowedMs) / 1_000));
  }

  #forget(): void {
    const from = this.#now() - WINDOW_MS;
    const first = this.#finished.findIndex(({ at }) => at >= from);
    this.#finished = first < 0 ? [] : this.#finished.slice(first);
  }
}

function refusal(code: 'overloaded' | 'too-many-pages', seconds: number): DomainError {
  return new DomainError(code, { params: { seconds } });
}

/**
 * How much later a label is asked for, as it were, for each page that its account has in flight, in ms. An account with
 * nothing in flight goes before one with 300 pages, whose labels still have their turn within 10 s (`LABEL_TIMEOUT_MS`).
 */
const PAGE_MS = 30;
/** The same for a label of a file, in ms: labels that are asked for one by one go first. */
const FILE_MS = 3_000;
/**
 * Pages in flight from which on labels are no later: an account that may have thousands would overtake itself whenever it
 * has a hundred less, and one label in twenty was late at three times the top load.
 */
const MAX_LATER_PAGES = 300;
/** BullMQ's priorities end at 2²¹: in this unit, in ms, a day has fewer. */
const UNIT_MS = 50;
const DAY_MS = 86_400_000;
/** When the places begin anew, in ms of UTC: at 03:00 in Mexico City, when hardly anybody prints. */
const DAY_BEGINS_MS = 9 * 3_600_000;

/**
 * Returns a label's place in the line, as BullMQ's priority: the time of asking, and later the more pages its account has
 * in flight. Places by pages in flight alone would leave the account with the most of them unserved for ever.
 *
 * @param now in ms since 1970.
 */
export function placeInLine(pagesInFlight: number, behind: boolean, now = Date.now()): number {
  const asked = (now - DAY_BEGINS_MS) % DAY_MS;
  const later = PAGE_MS * Math.min(pagesInFlight, MAX_LATER_PAGES) + (behind ? FILE_MS : 0);
  return 1 + Math.floor((asked + later) / UNIT_MS);
}
