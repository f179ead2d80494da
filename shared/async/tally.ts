/** Counts what is under way, by key; a key of which nothing is under way takes no memory. */
export class Tally {
  readonly #counts = new Map<string, number>();

  /** Counts one more. @returns how many of the key were under way before. */
  add(key: string): number {
    const before = this.#counts.get(key) ?? 0;
    this.#counts.set(key, before + 1);
    return before;
  }

  remove(key: string): void {
    const left = (this.#counts.get(key) ?? 0) - 1;
    if (left > 0) this.#counts.set(key, left);
    else this.#counts.delete(key);
  }
}
