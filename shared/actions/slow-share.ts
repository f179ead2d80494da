/** Length of a part of the window, in ms. */
const PART_MS = 10_000;
/** So many parts are the last requests: those of ten to twenty seconds, older ones if nobody has asked since. */
const LAST_PARTS = 2;

/** `last`: of the last requests alone. */
export type SlowCounts = { slow: number; all: number; lastSlow: number; lastAll: number };

/** Counts how many requests of the last minutes were slow. */
export class SlowShare {
  readonly #windowMs: number;
  /** Those in which there were requests, the oldest first. `at` of `performance.now()`. */
  #parts: { at: number; slow: number; all: number }[] = [];

  constructor(windowMinutes: number) {
    this.#windowMs = 60_000 * windowMinutes;
  }

  count(isSlow: boolean): void {
    const now = performance.now();
    let part = this.#parts.at(-1);
    if (!part || now - part.at >= PART_MS) {
      part = { at: now, slow: 0, all: 0 };
      this.#parts.push(part);
      this.#forget(now);
    }
    part.all++;
    if (isSlow) part.slow++;
  }

  /** Returns undefined if there were no requests. */
  counts(): SlowCounts | undefined {
    this.#forget(performance.now());
    const last = this.#parts.slice(-LAST_PARTS);
    if (last.length === 0) return undefined;
    const [slow, all] = [sum(this.#parts, 'slow'), sum(this.#parts, 'all')];
    return { slow, all, lastSlow: sum(last, 'slow'), lastAll: sum(last, 'all') };
  }

  #forget(now: number): void {
    this.#parts = this.#parts.filter(({ at }) => now - at < this.#windowMs);
  }
}

function sum(parts: readonly { slow: number; all: number }[], of: 'slow' | 'all'): number {
  return parts.reduce((total, part) => total + part[of], 0);
}
