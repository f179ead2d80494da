import { LruMap } from 'toad-cache';

/**
 * Remembers the answer to each key for `ttlMs`; calls at the same time share one look-up. At most `maxKeys` answers are
 * held, and those asked for longest ago go first.
 */
export class RecentAnswers<Value> {
  readonly #ttlMs: number;
  readonly #find: (key: string) => Promise<Value>;
  /** `until` is a time of `performance.now()`: the wall clock may be set back, and an entry would outlive its time. */
  readonly #recent: LruMap<{ value: Promise<Value>; until: number }>;

  constructor(ttlMs: number, maxKeys: number, find: (key: string) => Promise<Value>) {
    this.#ttlMs = ttlMs;
    this.#find = find;
    this.#recent = new LruMap(maxKeys);
  }

  /** Returns the answer of at most `ttlMs` ago. */
  get(key: string): Promise<Value> {
    const known = this.#recent.get(key);
    if (known && known.until > performance.now()) return known.value;
    const value = this.#find(key);
    this.#recent.set(key, { value, until: performance.now() + this.#ttlMs });
    // A failed look-up must not be remembered as an answer.
    value.catch(() => this.#recent.delete(key));
    return value;
  }

  /** Forgets the answer to a key: it is known to have changed. */
  forget(key: string): void {
    this.#recent.delete(key);
  }
}
