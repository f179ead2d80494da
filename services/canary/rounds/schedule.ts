import { ROUND_MS } from '#shared/canary/report.ts';
import type { Outcome } from '../steps/steps.ts';

/** Pause after each of the rounds that follow a first failed one, in ms, so that a fault is sure sooner. */
const QUICK_MS = 5_000;
const QUICK_ROUNDS = 3;
/** Time from one such run of rounds to the next one, in ms: the limits of the canary's account leave room for it. */
const QUICK_AGAIN_MS = 120_000;

/** Tells when the next round is due. After a bad round and the first good one that is soon, however seldom a good round is repeated. */
export class Schedule {
  readonly #usualMs: number;
  #before: 'good' | 'bad' = 'good';
  #quick = 0;
  #quickAt = Number.NEGATIVE_INFINITY;

  constructor(usualMs: number) {
    this.#usualMs = usualMs;
  }

  /** @returns the time from the start of a round with these outcomes to that of the next one, in ms. */
  after(outcomes: readonly Outcome[]): number {
    const now = outcomes.every(({ result }) => result === 'ok') ? 'good' : 'bad';
    const isOver = now === 'good' && this.#before === 'good';
    this.#before = now;
    if (outcomes.some(({ result }) => result === 'failed')) this.#hurry();
    if (this.#quick > 0) {
      this.#quick--;
      return QUICK_MS;
    }
    return isOver ? this.#usualMs : Math.min(ROUND_MS, this.#usualMs);
  }

  #hurry(): void {
    const at = performance.now();
    if (at - this.#quickAt < QUICK_AGAIN_MS) return;
    this.#quickAt = at;
    this.#quick = QUICK_ROUNDS;
  }
}
