import type { Fault, WayReport } from '#shared/canary/report.ts';
import type { Credential } from '../http/credential.ts';
import type { Customer } from '../http/customer.ts';
import type { WayIn } from '../http/ways.ts';
import type { Clock } from '../steps/clocks.ts';
import type { MadeGuide } from '../steps/guides.ts';
import { MAIN_STEPS, type Round } from '../steps/round.ts';
import type { Outcome } from '../steps/steps.ts';
import { Histories, History, mostTellingFirst } from './history.ts';

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
  /** Of the last good round; `at` by `performance.now()`. */
  #good: { at: number; tookMs: number } | undefined;
  /** Each round by the step that kept it from its label: each may fail at another step, as where one of a balancer's legs is dead. */
  #whole = new History();
  readonly #since = performance.now();

  constructor(way: WayIn, customer: Customer) {
    this.way = way;
    this.customer = customer;
  }

  note({ outcomes, skipped, goodMs, guide }: Omit<Round, 'untried'>): void {
    const now = performance.now();
    this.histories.note(outcomes, skipped);
    this.shown = [{ at: new Date(), outcomes }, ...this.shown].slice(0, SHOWN);
    this.goodGuide = goodMs === undefined ? undefined : guide;
    if (goodMs !== undefined) this.#good = { at: now, tookMs: goodMs };
    const whole = goodMs === undefined ? failedOf(outcomes) : LABELLED;
    if (whole) this.#whole.note(whole);
  }

  /** Forgets the faults: while nothing is tried, nobody knows whether they last. */
  forget(): void {
    this.histories.forget();
    this.#whole = new History();
    this.goodGuide = undefined;
  }

  get key(): Credential {
    return this.customer.key;
  }

  /** The clock behind this way, once an answer has named it. */
  get clock(): Clock | undefined {
    const { aheadMs } = this.customer;
    return aheadMs === undefined ? undefined : { name: this.way.host, aheadMs };
  }

  /** Returns the faults, the most telling first. */
  faults(): Fault[] {
    return mostTellingFirst([this.histories.faults(), this.#whole.fault() ?? []].flat());
  }

  report(): WayReport {
    const { way, host } = this.way;
    const [fault] = this.faults();
    const now = performance.now();
    const good = this.#good && { goodAgoMs: now - this.#good.at, tookMs: this.#good.tookMs };
    return { way, host, triedForMs: now - this.#since, ...good, ...(fault && { fault }) };
  }
}

/** Returns the step that kept a round from its label. */
function failedOf(outcomes: readonly Outcome[]): Outcome | undefined {
  return MAIN_STEPS.flatMap(
    (main) => outcomes.find(({ step, result }) => step === main && result === 'failed') ?? [],
  )[0];
}

const LABELLED: Outcome = {
  step: 'read-label',
  form: '',
  result: 'ok',
  ms: 0,
  answer: '',
  isAtDeadline: false,
};
