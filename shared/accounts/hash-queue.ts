import { availableParallelism } from 'node:os';

/**
 * Passwords hashed at a time on libuv's threads. Half of the cores stay free for other requests. At least two hashes run,
 * because a finished one waits for the event loop.
 */
const MAX_HASHED = Math.max(2, Math.floor(availableParallelism() / 2));
/** Longest wait for the hash to begin. */
const TIMEOUT_MS = 5_000;
/** Most logins that wait. Two cores hash about as many during the longest wait. */
const MAX_WAITING = 250;

type Waiter = { rank: number; grant: () => void; refuse: (why: string) => void };

/**
 * Hashes passwords a few at a time. The lowest rank goes first, and among equals the oldest. p-queue also has priorities, but
 * no bound, and it does not tell which waiting login has the worst rank. A second sorted list would have to know that.
 */
export class HashQueue {
  readonly #maxWaiting: number;
  readonly #timeoutMs: number;
  readonly #waiting: Waiter[] = [];
  #free: number;

  /** @param options are for tests. */
  constructor({ permits = MAX_HASHED, maxWaiting = MAX_WAITING, timeoutMs = TIMEOUT_MS } = {}) {
    this.#free = permits;
    this.#maxWaiting = maxWaiting;
    this.#timeoutMs = timeoutMs;
  }

  /** @throws Error if the turn does not come in time, or too many with a lower rank wait. */
  async run<T>(rank: number, work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await this.#wait(rank);
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next.grant();
      else this.#free++;
    }
  }

  async #wait(rank: number): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiter: Waiter = { rank, grant: resolve, refuse: (why) => reject(new Error(why)) };
    const timer = setTimeout(() => {
      this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
      waiter.refuse(`No password was hashed for this login within ${this.#timeoutMs} ms`);
    }, this.#timeoutMs);
    const index = this.#waiting.findLastIndex((other) => other.rank <= rank) + 1;
    this.#waiting.splice(index, 0, waiter);
    if (this.#waiting.length > this.#maxWaiting) {
      this.#waiting.pop()?.refuse(`More than ${this.#maxWaiting} logins wait for a hash`);
    }
    await promise.finally(() => clearTimeout(timer));
  }
}
