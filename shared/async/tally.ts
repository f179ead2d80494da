/**
 * Counts running work by key. A key without running work takes no memory. p-limit and fastq keep a line for each key, where
 * these callers refuse what is too much, or ask which keys have too much.
 */
export class Tally {
  readonly #counts = new Map<string, number>();
  #total = 0;

  get total(): number {
    return this.#total;
  }

  of(key: string): number {
    return this.#counts.get(key) ?? 0;
  }

  /** Returns the keys with at least `count` under way. */
  keysOf(count: number): string[] {
    return [...this.#counts].filter(([, underWay]) => underWay >= count).map(([key]) => key);
  }

  add(key: string): void {
    this.#counts.set(key, this.of(key) + 1);
    this.#total++;
  }

  remove(key: string): void {
    const left = this.of(key) - 1;
    if (left > 0) this.#counts.set(key, left);
    else this.#counts.delete(key);
    this.#total--;
  }
}
