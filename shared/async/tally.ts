/** Counts running work by key. A key without running work takes no memory. */
export class Tally {
  readonly #counts = new Map<string, number>();

  of(key: string): number {
    return this.#counts.get(key) ?? 0;
  }

  counts(): Iterable<number> {
    return this.#counts.values();
  }

  /** Returns the keys with at least `count` under way. */
  keysOf(count: number): string[] {
    return [...this.#counts].filter(([, underWay]) => underWay >= count).map(([key]) => key);
  }

  /** @returns the key's count before. */
  add(key: string, more = 1): number {
    const before = this.of(key);
    this.#counts.set(key, before + more);
    return before;
  }

  remove(key: string, fewer = 1): void {
    const left = this.of(key) - fewer;
    if (left > 0) this.#counts.set(key, left);
    else this.#counts.delete(key);
  }
}
