import { LRUCache } from 'lru-cache';
import { SingleFlight } from '#shared/async/single-flight.ts';
import { withTimeout } from '#shared/async/with-timeout.ts';
import { isTransientError } from './transient-errors.ts';

type Options<Answer> = {
  /** Names the question in an error's message, such as `Reading a user`. */
  what: string;
  max: number;
  /** How long an answer holds. */
  freshMs: number;
  /** How long an answer holds while the store does not answer. */
  keptMs: number;
  /** Longest wait for the store if an answer is kept, and the pause after the store did not answer. */
  waitMs: number;
  /** Asks the store. */
  ask: (key: string) => Promise<Answer>;
};

/** Keeps answers of a store for some seconds, and for longer while the store does not answer. */
export class RecentAnswers<Answer> {
  readonly #options: Options<Answer>;
  /** `at`: when it was read, of `performance.now()`. */
  readonly #known: LRUCache<string, { answer: Answer; at: number }>;
  readonly #asking = new SingleFlight<Answer>();
  #missedAt = Number.NEGATIVE_INFINITY;

  constructor(options: Options<Answer>) {
    this.#options = options;
    this.#known = new LRUCache({ max: options.max });
  }

  /** @throws what `ask` throws. Throws a transient error, or DOMException `TimeoutError`, only if no answer is kept. */
  async get(key: string): Promise<Answer> {
    const { what, freshMs, keptMs, waitMs } = this.#options;
    const known = this.#known.get(key);
    const age = known ? performance.now() - known.at : Number.POSITIVE_INFINITY;
    const isMissing = performance.now() - this.#missedAt < waitMs;
    if (known && (age < freshMs || (isMissing && age < keptMs))) return known.answer;
    const asking = this.#asking.run(() => this.#ask(key), key);
    if (!known || age >= keptMs) return asking;
    try {
      return await withTimeout(waitMs, what, asking);
    } catch (error) {
      if (!isTransientError(error)) throw error;
      this.#missedAt = performance.now();
      return known.answer;
    }
  }

  forget(key: string): void {
    this.#known.delete(key);
  }

  async #ask(key: string): Promise<Answer> {
    const answer = await this.#options.ask(key);
    this.#known.set(key, { answer, at: performance.now() });
    return answer;
  }
}
