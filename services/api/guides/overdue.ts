import { STORE_MS } from './attempts.ts';

/**
 * Finds what has been open longer than a request may take, so that a crash must have cut it. Ages count from this
 * process's first look: clocks of processes may differ. A cache with a lifetime would forget what stays open for long.
 */
export class Overdue {
  #seenAt = new Map<string, number>();

  /** @param open all ids that are open now. @returns those that have been open for `STORE_MS`, in the same order. */
  among(open: readonly string[]): string[] {
    const now = performance.now();
    this.#seenAt = new Map(open.map((id) => [id, this.#seenAt.get(id) ?? now]));
    return open.filter((id) => now - (this.#seenAt.get(id) ?? now) >= STORE_MS);
  }
}
