import { STORE_MS } from './attempts.ts';

/**
 * Tells what has been open for longer than a request may take, so that a crash must have cut it. Time counts from this
 * process's first look, by its own clock: the clock of the process that opened it may differ by minutes.
 */
export class Overdue {
  #seenAt = new Map<string, number>();

  /** @param open ids of all that is open now. @returns those that were open `STORE_MS` ago already, in the same order. */
  among(open: readonly string[]): string[] {
    const now = performance.now();
    this.#seenAt = new Map(open.map((id) => [id, this.#seenAt.get(id) ?? now]));
    return open.filter((id) => now - (this.#seenAt.get(id) ?? now) >= STORE_MS);
  }
}
