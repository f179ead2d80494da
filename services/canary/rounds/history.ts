import { type Fault, STEPS } from '#shared/canary/report.ts';
import { FAILING } from '#shared/observability/thresholds.ts';
import type { Outcome, StepOf } from '../steps/steps.ts';

/** Rounds that are considered: of these, `FAILING.least` are the share `FAILING.lastShare`. */
const WINDOW_ROUNDS = FAILING.least / FAILING.lastShare;
/** Good rounds in a row after which a fault is over, if at least every second round was bad. */
const GOOD_ROUNDS_TO_END = 2;

type DatedOutcome = Outcome & { at: number };

/** How one step ended in its last rounds, and whether that is a fault. `at`, `since` by `performance.now()`. */
export class History {
  /** The oldest first. */
  #last: DatedOutcome[] = [];
  /** The first bad round of the present fault. */
  #since: number | undefined;

  note(outcome: Outcome): void {
    this.#last = [...this.#last, { ...outcome, at: performance.now() }].slice(-WINDOW_ROUNDS);
    const wasFault = this.#since !== undefined;
    this.#since = isFault(this.#last) ? (this.#since ?? this.#last.find(isBad)?.at) : undefined;
    // Rounds of a fault that is over say nothing of the next one: it begins, and ends, by its own rounds.
    if (wasFault && this.#since === undefined) this.#last = this.#last.slice(-1);
  }

  get last(): DatedOutcome | undefined {
    return this.#last.at(-1);
  }

  /** Returns what customers meet now. It is late only if none of the last few bad rounds failed. */
  fault(): Fault | undefined {
    const bad = this.#last.filter(isBad).slice(-FAILING.least);
    const failed = bad.findLast(({ result }) => result === 'failed');
    const told = failed ?? bad.at(-1);
    if (this.#since === undefined || !told) return undefined;
    const { step, form, answer } = told;
    return { step, form, answer, isLate: !failed, sinceMs: performance.now() - this.#since };
  }
}

const isBad = ({ result }: Outcome) => result !== 'ok';

/**
 * Two rounds in a row failed, or one reached its deadline, or several were bad; and not so many were good since that it is over. What
 * fails once in three rounds is over later than what fails always: some good rounds in a row are no news there.
 */
function isFault(last: readonly DatedOutcome[]): boolean {
  const bad = last.filter(isBad).length;
  const [first, latest] = [last.findIndex(isBad), last.findLastIndex(isBad)];
  const isSure = last.some(
    ({ result, isAtDeadline }, i) =>
      isAtDeadline || (result === 'failed' && last[i - 1]?.result === 'failed'),
  );
  if (bad < FAILING.least && !isSure) return false;
  const roundsForEachBad = (latest - first + 1) / bad;
  const good = last.length - 1 - latest;
  return good < GOOD_ROUNDS_TO_END * (roundsForEachBad > 2 ? roundsForEachBad : 1);
}

/** Orders what does not succeed before what is late, and what customers do first. */
export function mostTellingFirst(faults: readonly Fault[]): Fault[] {
  const rank = ({ isLate, step }: Fault) => (isLate ? STEPS.length : 0) + STEPS.indexOf(step);
  return faults.toSorted((one, other) => rank(one) - rank(other));
}

/** The histories of the steps that one way, or the periodic checks, have made. */
export class Histories {
  readonly #ofSteps = new Map<string, History>();

  /** @param skipped steps that do not apply any more: what they met before says nothing of now. */
  note(outcomes: readonly Outcome[], skipped: readonly StepOf[] = []): void {
    for (const outcome of outcomes) {
      const history = this.#ofSteps.get(keyOf(outcome)) ?? new History();
      this.#ofSteps.set(keyOf(outcome), history);
      history.note(outcome);
    }
    for (const of of skipped) this.#ofSteps.delete(keyOf(of));
  }

  forget(): void {
    this.#ofSteps.clear();
  }

  /** Returns the faults, the most telling first. */
  faults(): Fault[] {
    return mostTellingFirst([...this.#ofSteps.values()].flatMap((history) => history.fault() ?? []));
  }

  /** Returns how each step ended last, in the order in which they are made. */
  lastOutcomes(): DatedOutcome[] {
    const last = [...this.#ofSteps.values()].flatMap((history) => history.last ?? []);
    return last.toSorted((one, other) => STEPS.indexOf(one.step) - STEPS.indexOf(other.step));
  }
}

function keyOf({ step, form }: StepOf): string {
  return `${step} ${form}`;
}
