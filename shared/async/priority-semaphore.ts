/** An order of precedence: compared number by number, the smaller one goes first. */
export type Rank = readonly number[];

type Waiter = { rank: Rank; grant: () => void; refuse: (why: string) => void };
type Options = {
  /** How much of the work may run at a time. */
  permits: number;
  /** Most that wait for a permit: it bounds memory, and what waits behind so many waits in vain. */
  maxWaiting: number;
  /** Longest wait for a permit, in ms. */
  timeoutMs: number;
};

/**
 * Bounds how much costly work runs at a time, so that the rest of the machine stays free. Who waits is served by rank,
 * and in the order of arrival among equals.
 */
export class PrioritySemaphore {
  readonly #maxWaiting: number;
  readonly #timeoutMs: number;
  /** In the order in which they get a permit. */
  readonly #waiting: Waiter[] = [];
  #free: number;

  constructor({ permits, maxWaiting, timeoutMs }: Options) {
    this.#free = permits;
    this.#maxWaiting = maxWaiting;
    this.#timeoutMs = timeoutMs;
  }

  /**
   * Waits for a permit.
   *
   * @returns a function that gives the permit back, to be called once.
   * @throws Error when no permit comes in time, or when too many wait and this one is the last of them.
   */
  async acquire(rank: Rank): Promise<() => void> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve, reject) => this.#enqueue(rank, resolve, reject));
    return () => this.#release();
  }

  #enqueue(rank: Rank, resolve: () => void, reject: (error: Error) => void): void {
    const timer = setTimeout(() => {
      this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
      waiter.refuse(`No permit within ${this.#timeoutMs} ms`);
    }, this.#timeoutMs);
    const end = (settle: () => void) => {
      clearTimeout(timer);
      settle();
    };
    const waiter: Waiter = {
      rank,
      grant: () => end(resolve),
      refuse: (why) => end(() => reject(new Error(why))),
    };
    this.#waiting.splice(this.#waiting.findLastIndex((other) => !precedes(rank, other.rank)) + 1, 0, waiter);
    if (this.#waiting.length > this.#maxWaiting) {
      this.#waiting.pop()?.refuse(`More than ${this.#maxWaiting} wait for a permit`);
    }
  }

  #release(): void {
    const next = this.#waiting.shift();
    if (next) next.grant();
    else this.#free++;
  }
}

function precedes(one: Rank, other: Rank): boolean {
  const at = one.findIndex((number, index) => number !== other[index]);
  return at >= 0 && (one[at] ?? 0) < (other[at] ?? 0);
}
