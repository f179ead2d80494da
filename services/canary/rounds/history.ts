import { type Fault, STEPS, type Step } from '#shared/canary/report.ts';
import { FAILING } from '#shared/observability/thresholds.ts';
import type { Outcome } from '../steps/steps.ts';

/** So many of the last rounds are looked at: `least` late ones among them are `lastShare`. */
const LAST = FAILING.least / FAILING.lastShare;
/** After so many rounds in time, a step is late no more. */
const OVER = 2;
/** A round that fails once may be the network's fault. */
export const LEAST_FAILED = 2;

type Noted = Outcome & { at: number };

/** How one step ended in its last rounds, and whether that is a fault. */
class StepHistory {
  readonly of: Pick<Fault, 'step' | 'form'>;
  /** The oldest first. */
  #last: Noted[] = [];
  /** Those in a row may be more than the last rounds. `since`: the first one, of `performance.now()`. */
  #failed: { rounds: number; since: number } | undefined;

  constructor({ step, form }: Pick<Fault, 'step' | 'form'>) {
    this.of = { step, form };
  }

  note(outcome: Outcome): void {
    const at = performance.now();
    this.#last = [...this.#last, { ...outcome, at }].slice(-LAST);
    const { rounds, since } = this.#failed ?? { rounds: 0, since: at };
    this.#failed = outcome.result === 'failed' ? { rounds: rounds + 1, since } : undefined;
  }

  get last(): Noted | undefined {
    return this.#last.at(-1);
  }

  /** Bad rounds in a row: failed ones, or late ones once these are a fault. */
  get inARow(): number {
    return this.fault()?.rounds ?? this.#failed?.rounds ?? 0;
  }

  /** Returns what customers meet now: two rounds failed, or one reached its deadline, or several were late. */
  fault(): Fault | undefined {
    const { last } = this;
    if (!last) return undefined;
    if (!this.#failed) return this.#lateness();
    const { rounds, since } = this.#failed;
    const isSure = rounds >= LEAST_FAILED || last.isAtDeadline;
    return isSure ? this.#faultOf(last, { isLate: false, since, rounds }) : undefined;
  }

  #lateness(): Fault | undefined {
    const late = this.#last.filter(({ result }) => result === 'late');
    const [first, latest] = [late[0], late.at(-1)];
    const isOver = this.#last.slice(-OVER).every(({ result }) => result !== 'late');
    if (!first || !latest || late.length < FAILING.least || isOver) return undefined;
    return this.#faultOf(latest, { isLate: true, since: first.at, rounds: late.length });
  }

  #faultOf({ answer }: Noted, of: { isLate: boolean; since: number; rounds: number }): Fault {
    const { since, ...more } = of;
    return { ...this.of, ...more, sinceMs: performance.now() - since, answer };
  }
}

/** Orders what does not succeed before what is late, and what customers do first. */
export function mostTellingFirst(faults: readonly Fault[]): Fault[] {
  const rank = ({ isLate, step }: Fault) => (isLate ? STEPS.length : 0) + STEPS.indexOf(step);
  return faults.toSorted((one, other) => rank(one) - rank(other));
}

/** The histories of the steps that one way, or the slower series, have made. */
export class Histories {
  readonly #ofSteps = new Map<string, StepHistory>();

  note(outcomes: readonly Outcome[]): void {
    for (const outcome of outcomes) {
      const key = `${outcome.step} ${outcome.form}`;
      const history = this.#ofSteps.get(key) ?? new StepHistory(outcome);
      this.#ofSteps.set(key, history);
      history.note(outcome);
    }
  }

  /** Returns the faults, the most telling first. */
  faults(): Fault[] {
    return mostTellingFirst([...this.#ofSteps.values()].flatMap((history) => history.fault() ?? []));
  }

  /** Returns how each step ended last, in the order in which they are made. `at` of `performance.now()`. */
  lastOutcomes(): Noted[] {
    const last = [...this.#ofSteps.values()].flatMap((history) => history.last ?? []);
    return last.toSorted((one, other) => STEPS.indexOf(one.step) - STEPS.indexOf(other.step));
  }

  /** Returns the bad rounds in a row of each step and form. */
  inARow(): { step: Step; rounds: number }[] {
    return [...this.#ofSteps.values()].map(({ of, inARow }) => ({ step: of.step, rounds: inARow }));
  }
}
