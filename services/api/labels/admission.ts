import { DomainError } from '#shared/errors/domain-error.ts';
import { FRESH_MS } from '#shared/printing/label-job.ts';

/**
 * In ms: the printers' pace is known once two labels have waited for so long. Before, it is the pace of the requests. A
 * label that waits alone may itself be at fault.
 */
const PACE_MS = 2_000;
/** Longest time to a label's turn, in ms. The rest of `LABEL_TIMEOUT_MS` is for a pace that falls. */
const MAX_WAIT_MS = 6_000;
/**
 * Longest time from `reserve` to the turn of its label, in ms. It is longer, so that a guide is not read for nothing
 * because the pace fell a little meanwhile.
 */
const MAX_RESERVED_MS = 8_000;
/** In ms: printers that finish nothing for so long, while two labels wait, get no more labels. */
const STUCK_MS = 8_000;
/** Bounds the process's memory. */
const MAX_LABELS = 5_000;
/** In seconds. */
const RETRY_AFTER_S = { least: 1, most: 5 };

export type EntryRequest = {
  account: string;
  key: string;
  pages: number;
  /** Most pages in flight of the account. */
  maxPages: number;
  /** Of a request that `reserve` let through. */
  reservation?: Reservation | undefined;
};

/** A request that looks up its label. `at`: when it began, of `performance.now()`. `end` may be called again. */
export type Reservation = { at: number; end: () => void };

/** `callers`: requests that share the label, 0 once it is abandoned. `since`: of `performance.now()`. */
type Waiting = { callers: number; since: number };
/** Pages, labels by their keys, and requests whose label is not known yet. */
type InFlight = { pages: number; labels: Map<string, Waiting>; reserved: number };
/** Why a request stops waiting: its label is printed or failed, or its client has left. */
type End = 'done' | 'abandoned';

/**
 * Decides whether one more label may wait (docs/decisions/0010). An account has no more pages in flight than its
 * limit. Once two labels have waited for `PACE_MS`, a label is refused if its turn is more than `MAX_WAIT_MS` away at
 * the pace since they began to wait: a full process hears of finished labels in lumps. It is also refused if two labels
 * have waited for `STUCK_MS` and none was finished meanwhile.
 * An abandoned label counts until the workers drop its job. Otherwise a client that asks and leaves again and again
 * would fill the line with jobs that no client waits for.
 * A refusal needs nothing of the label, so a request reserves before its guide is read, and counts as one page until its
 * label is admitted. If it did not count, all requests that come during the read would pass, and their guides be read for nothing.
 * Ahead of a label count at most as many pages of each account as its own account has in flight, plus one
 * (`placeInLine`). A small account is therefore not refused because of a large one.
 * Each process counts for itself: it sees its own share of the printers.
 */
export class Admission {
  readonly #now: () => number;
  readonly #accounts = new Map<string, InFlight>();
  /** Requests of all accounts. */
  #reserved = 0;
  /** The longest-waiting first. */
  readonly #waiting = new Set<Waiting>();
  /** When the count of each abandoned label ends, and what ends it; the first to end comes first. */
  readonly #abandoned = new Map<Waiting, { until: number; forget: () => void }>();
  /** Finished while two labels have waited, the oldest first, as far as `#forgetFinished` has seen. */
  readonly #finished: { at: number; pages: number }[] = [];
  #finishedPages = 0;
  #finishedAt = 0;

  constructor(now = () => performance.now()) {
    this.#now = now;
  }

  pagesOf(account: string): number {
    this.#forgetAbandoned();
    return this.#accounts.get(account)?.pages ?? 0;
  }

  /**
   * Counts a request whose label is not known yet, until its label is admitted or `end` is called.
   * @throws DomainError `overloaded`, with the seconds after which to try again, as `admit` would.
   */
  reserve(account: string): Reservation {
    this.#forgetAbandoned();
    const own = this.#of(account);
    const at = this.#now();
    refuseFor(this.#retryAfterSeconds(own, MAX_WAIT_MS));
    this.#count(own, 1);
    this.#accounts.set(account, own);
    let isOver = false;
    const end = () => {
      if (isOver) return;
      isOver = true;
      this.#count(own, -1);
      this.#forgetIdle(account, own);
    };
    return { at, end };
  }

  /**
   * Counts a label that begins to wait, once for each account.
   * @returns ends the wait, to be called once; by default the label is done.
   * @throws DomainError `too-many-pages`, or `overloaded` with the seconds after which to try again.
   */
  admit(request: EntryRequest): (end?: End) => void {
    const { account, key, pages, reservation } = request;
    this.#forgetAbandoned();
    reservation?.end();
    const own = this.#of(account);
    let label = own.labels.get(key);
    if (!label) {
      this.#requireRoom(request, own);
      label = { callers: 0, since: 0 };
      own.labels.set(key, label);
      own.pages += pages;
      this.#accounts.set(account, own);
    }
    if (label.callers === 0) this.#beginWait(label);
    label.callers++;
    return (end = 'done') => this.#release(request, own, label, end);
  }

  /** Counts a label that was printed or failed. */
  finished(pages: number): void {
    this.#finishedAt = this.#now();
    this.#finished.push({ at: this.#finishedAt, pages });
    this.#finishedPages += pages;
    this.#forgetFinished();
  }

  #of(account: string): InFlight {
    return this.#accounts.get(account) ?? { pages: 0, labels: new Map(), reserved: 0 };
  }

  #count(own: InFlight, reserved: 1 | -1): void {
    own.reserved += reserved;
    this.#reserved += reserved;
  }

  #forgetIdle(account: string, own: InFlight): void {
    if (own.labels.size === 0 && own.reserved === 0) this.#accounts.delete(account);
  }

  #beginWait(label: Waiting): void {
    this.#abandoned.delete(label);
    label.since = this.#now();
    this.#waiting.add(label);
  }

  #release({ account, key, pages }: EntryRequest, own: InFlight, label: Waiting, end: End): void {
    if (--label.callers > 0) return;
    this.#waiting.delete(label);
    const forget = () => {
      own.labels.delete(key);
      own.pages -= pages;
      this.#forgetIdle(account, own);
    };
    if (end === 'done') forget();
    else this.#abandoned.set(label, { until: this.#now() + FRESH_MS, forget });
  }

  #forgetAbandoned(): void {
    for (const [label, { until, forget }] of this.#abandoned) {
      if (until > this.#now()) return;
      this.#abandoned.delete(label);
      forget();
    }
  }

  #requireRoom({ pages, maxPages, reservation }: EntryRequest, own: InFlight): void {
    // A label alone is never too large: in a second more pages are printed than one label has.
    if (own.pages > 0 && own.pages + pages > maxPages)
      throw retryLater('too-many-pages', RETRY_AFTER_S.least);
    const maxWaitMs = reservation ? MAX_RESERVED_MS - (this.#now() - reservation.at) : MAX_WAIT_MS;
    refuseFor(this.#retryAfterSeconds(own, maxWaitMs));
  }

  /** Returns the seconds after which to try again; 0 if one more label may wait so long for its turn, in ms. */
  #retryAfterSeconds(own: InFlight, maxWaitMs: number): number {
    const { least, most: longest } = RETRY_AFTER_S;
    if (this.#waiting.size + this.#reserved >= MAX_LABELS) return longest;
    const [, second] = this.#waiting;
    if (!second) return 0;
    if (this.#now() - Math.max(second.since, this.#finishedAt) > STUCK_MS) return longest;
    if (this.#now() - second.since <= PACE_MS) return 0;
    // The pace counts from the first finished label: before it, the first batch was under way.
    this.#forgetFinished();
    const [first, another] = this.#finished;
    if (!first || !another) return 0; // no pace is known yet
    const printed = this.#finishedPages - first.pages;
    let ahead = 0;
    const most = own.pages + own.reserved + 1;
    for (const { pages, reserved } of this.#accounts.values()) ahead += Math.min(pages + reserved, most);
    const lateMs = ((this.#now() - first.at) * ahead) / printed - maxWaitMs;
    return lateMs <= 0 ? 0 : Math.min(longest, Math.max(least, Math.ceil(lateMs / 1_000)));
  }

  #forgetFinished(): void {
    const [, second] = this.#waiting;
    const from = second?.since ?? this.#now();
    const firstRecent = this.#finished.findIndex(({ at }) => at >= from);
    const forgotten = this.#finished.splice(0, firstRecent < 0 ? this.#finished.length : firstRecent);
    for (const { pages } of forgotten) this.#finishedPages -= pages;
  }
}

/** @throws DomainError `overloaded` unless the time to wait is 0. */
function refuseFor(seconds: number): void {
  if (seconds > 0) throw retryLater('overloaded', seconds);
}

function retryLater(code: 'overloaded' | 'too-many-pages', seconds: number): DomainError {
  return new DomainError(code, { params: { seconds } });
}
