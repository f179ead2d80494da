import type { WayReport } from '#shared/canary/report.ts';
import type { Customer } from '../http/customer.ts';
import type { WayIn } from '../http/ways.ts';
import type { Clock } from '../steps/clocks.ts';
import type { MadeGuide } from '../steps/guides.ts';
import type { Round } from '../steps/round.ts';
import type { Outcome } from '../steps/steps.ts';
import { Histories } from './history.ts';

/** A round for people to look at. */
export type ShownRound = { at: Date; ms: number; outcomes: Outcome[] };
const SHOWN = 20;

/** What the rounds by one way have found. */
export class WayRounds {
  readonly way: WayIn;
  readonly customer: Customer;
  readonly histories = new Histories();
  /** The newest first. */
  shown: ShownRound[] = [];
  /** Of the last good round; `at` of `performance.now()`. */
  #good: { at: number; tookMs: number } | undefined;
  readonly #since = performance.now();
  /** The last guide whose label was right, until a round is bad. */
  goodGuide: MadeGuide | undefined;

  constructor(way: WayIn, customer: Customer) {
    this.way = way;
    this.customer = customer;
  }

  note({ outcomes, goodMs, guide }: Round): void {
    const now = performance.now();
    this.histories.note(outcomes);
    const ms = goodMs ?? Math.max(...outcomes.map((outcome) => outcome.ms));
    this.shown = [{ at: new Date(), ms, outcomes }, ...this.shown].slice(0, SHOWN);
    this.goodGuide = goodMs === undefined ? undefined : guide;
    if (goodMs !== undefined) this.#good = { at: now, tookMs: goodMs };
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

  report(): WayReport {
    const { way, host } = this.way;
    const [fault] = this.histories.faults();
    const good = this.#good && { goodAgoMs: this.ageMs, tookMs: this.#good.tookMs };
    return { way, host, triedForMs: performance.now() - this.#since, ...good, ...(fault && { fault }) };
  }
}
