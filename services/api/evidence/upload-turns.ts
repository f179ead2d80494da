import { DomainError } from '#shared/errors/domain-error.ts';

type Options = {
  /** Bytes of bodies that a process takes in at the same time. */
  maxBytes: number;
  /** Longest wait for a turn, in ms. The client's own time for its request runs meanwhile. */
  waitMs: number;
  /** When a client that waited in vain may try again, in seconds. */
  retryAfterS: number;
};
type Waiting = { bytes: number; begin: () => void };

/**
 * Gives uploads turns by their bytes, in the order in which they come. They are apart from those of other bodies, so that
 * hundreds of slow phones hold up no scan, and fill no memory.
 */
export class UploadTurns {
  readonly #options: Options;
  readonly #waiting = new Set<Waiting>();
  #inFlight = 0;

  constructor(options: Options) {
    this.#options = options;
  }

  /**
   * Waits for a turn.
   *
   * @param signal ends the wait when the client leaves.
   * @returns a function that ends the turn; to be called once.
   * @throws DomainError `overloaded` if it does not come in time.
   */
  async take(bytes: number, signal: AbortSignal): Promise<() => void> {
    const { waitMs, retryAfterS } = this.#options;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiting = { bytes, begin: resolve };
    this.#waiting.add(waiting);
    this.#beginNext();
    const giveUp = () => {
      if (this.#waiting.delete(waiting))
        reject(new DomainError('overloaded', { params: { seconds: retryAfterS } }));
      this.#beginNext();
    };
    const timer = setTimeout(giveUp, waitMs);
    signal.addEventListener('abort', giveUp);
    try {
      await promise;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', giveUp);
    }
    return () => {
      this.#inFlight -= bytes;
      this.#beginNext();
    };
  }

  #beginNext(): void {
    for (const waiting of this.#waiting) {
      const isAlone = this.#inFlight === 0;
      if (!isAlone && this.#inFlight + waiting.bytes > this.#options.maxBytes) return;
      this.#waiting.delete(waiting);
      this.#inFlight += waiting.bytes;
      waiting.begin();
    }
  }
}
