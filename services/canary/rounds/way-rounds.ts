import type { Fault, Step, WayReport } from '#shared/canary/report.ts';
import type { Customer } from '../http/customer.ts';
import type { WayIn } from '../http/ways.ts';
import type { Clock } from '../steps/clocks.ts';
import type { MadeGuide } from '../steps/guides.ts';
import { MAIN_STEPS, type Round } from '../steps/round.ts';
import type { Outcome } from '../steps/steps.ts';
import { Histories, LEAST_FAILED, mostTellingFirst } from './history.ts';

/** A round for people to look at. */
export type ShownRound = { at: Date; outcomes: Outcome[] };
const SHOWN = 20;

/** What the rounds by one way have found. */
export class WayRounds {
  readonly way: WayIn;
  readonly customer: Customer;
  readonly histories = new Histories();
  /** The newest first. */
  shown: ShownRound[] = [];
  /** The last guide whose label was right, until a round is bad. */
  goodGuide: MadeGuide | undefined;
  /** Of the last good round; `at` of `performance.now()`. */
  #good: { at: number; tookMs: number } | undefined;
  /** Rounds in a row without a label, the last step that failed, and when the first one ended. */
  #bad: { rounds: number; last: Outcome; since: number } | undefined;
  readonly #since = performance.now();

  constructor(way: WayIn, customer: Customer) {
    this.way = way;
    this.customer = customer;
  }

  note({ outcomes, goodMs, guide }: Round): void {
    const now = performance.now();
    this.histories.note(outcomes);
    this.shown = [{ at: new Date(), outcomes }, ...this.shown].slice(0, SHOWN);
    this.goodGuide = goodMs === undefined ? undefined : guide;
    if (goodMs !== undefined) this.#good = { at: now, tookMs: goodMs };
    const [last] = MAIN_STEPS.flatMap(
      (main) => outcomes.find(({ step, result }) => step === main && result === 'failed') ?? [],
    );
    const { rounds, since } = this.#bad ?? { rounds: 0, since: now };
    this.#bad = goodMs === undefined && last ? { rounds: rounds + 1, last, since } : undefined;
  }

  /** Time since the last good round, or since the first one began, in ms. */
  get ageMs(): number {
    return performance.now() - (this.#good?.at ?? this.#since);
  }

  /** The clock behind this way, once an answer has named it. */
  get clock(): Clock | undefined {
    const { aheadMs } = this.customer;
    return aheadMs === undefined ? undefined : { name: this.way.host, aheadMs };
  }

  /** Returns the bad rounds in a row of each step. */
  inARow(): { step: Step; rounds: number }[] {
    return [...this.histories.inARow(), ...this.#withoutLabel()];
  }

  report(): WayReport {
    const { way, host } = this.way;
    const [fault] = mostTellingFirst([...this.histories.faults(), ...this.#withoutLabel()]);
    const good = this.#good && { goodAgoMs: this.ageMs, tookMs: this.#good.tookMs };
    return { way, host, triedForMs: performance.now() - this.#since, ...good, ...(fault && { fault }) };
  }

  /** Rounds may fail one after the other, each at another step, as where one of a balancer's legs is dead. */
  #withoutLabel(): Fault[] {
    if (!this.#bad || this.#bad.rounds < LEAST_FAILED) return [];
    const { rounds, last, since } = this.#bad;
    const { step, form, answer } = last;
    return [{ step, form, answer, isLate: false, rounds, sinceMs: performance.now() - since }];
  }
}
