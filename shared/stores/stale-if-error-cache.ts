import { LRUCache } from 'lru-cache';
import { SingleFlight } from '#shared/async/single-flight.ts';
import { withTimeout } from '#shared/async/with-timeout.ts';
import { isTransientError } from './transient-errors.ts';

type Options<Value> = {
  /** Names the read in an error's message, such as `Reading a user`. */
  what: string;
  max: number;
  /** How long a value is fresh. */
  freshMs: number;
  /** How long a value holds while the store does not answer. */
  keptMs: number;
  /** Longest wait for the store if a value is kept, and the pause after the store did not answer. */
  waitMs: number;
  /** Reads the store. */
  read: (key: string) => Promise<Value>;
};

/** Keeps what was read from a store for some seconds, and for longer while the store does not answer (RFC 5861, 4). */
export class StaleIfErrorCache<Value> {
  readonly #options: Options<Value>;
  /** `at`: when it was read, of `performance.now()`. */
  readonly #known: LRUCache<string, { value: Value; at: number }>;
  readonly #reading = new SingleFlight<Value>();
  #missedAt = Number.NEGATIVE_INFINITY;

  constructor(options: Options<Value>) {
    this.#options = options;
    this.#known = new LRUCache({ max: options.max });
  }

  /** @throws what `read` throws. Throws a transient error, or DOMException `TimeoutError`, only if no value is kept. */
  async get(key: string): Promise<Value> {
    const { what, freshMs, keptMs, waitMs } = this.#options;
    const known = this.#known.get(key);
    const age = known ? performance.now() - known.at : Number.POSITIVE_INFINITY;
    const isMissing = performance.now() - this.#missedAt < waitMs;
    if (known && (age < freshMs || (isMissing && age < keptMs))) return known.value;
    const reading = this.#reading.run(() => this.#read(key), key);
    if (!known || age >= keptMs) return reading;
    try {
      return await withTimeout(waitMs, what, reading);
    } catch (error) {
      if (!isTransientError(error)) throw error;
      this.#missedAt = performance.now();
      return known.value;
    }
  }

  /** Returns the value that was read last, however old it is, without reading; undefined if none is kept. */
  peek(key: string): Value | undefined {
    return this.#known.peek(key)?.value;
  }

  forget(key: string): void {
    this.#known.delete(key);
  }

  async #read(key: string): Promise<Value> {
    const value = await this.#options.read(key);
    this.#known.set(key, { value, at: performance.now() });
    return value;
  }
}
