/** Pause after each of the rounds that follow a first bad one, in ms, so that a fault is sure sooner. */
const QUICK_MS = 5_000;
const QUICK_ROUNDS = 3;
/** Pause between bad rounds, in ms, however seldom a good round is repeated. */
const BAD_MS = 15_000;

/** When the next round is due. */
export class Pace {
  readonly #usualMs: number;
  #wasBad = false;
  #quick = 0;

  constructor(usualMs: number) {
    this.#usualMs = usualMs;
  }

  /** Returns the time from the start of a round to that of the next one, in ms. */
  after(isBad: boolean): number {
    if (isBad && !this.#wasBad) this.#quick = QUICK_ROUNDS;
    this.#wasBad = isBad;
    if (this.#quick > 0) {
      this.#quick--;
      return QUICK_MS;
    }
    return isBad ? Math.min(BAD_MS, this.#usualMs) : this.#usualMs;
  }
}
