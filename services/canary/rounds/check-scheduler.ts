import { ROUND_MS } from '#shared/canary/report.ts';
import type { PeriodicCheck } from '../steps/periodic-checks.ts';
import { type Made, makeSteps } from '../steps/steps.ts';
import { Schedule } from './schedule.ts';

/** Makes the checks one after the other, each as often as it says, so that they add one label at a time. */
export class CheckScheduler {
  /** `dueAt` by `performance.now()`. */
  readonly #planned: { check: PeriodicCheck; schedule: Schedule; dueAt: number }[];

  constructor(checks: readonly PeriodicCheck[]) {
    const now = performance.now();
    this.#planned = checks.map((check) => ({
      ...{ check, schedule: new Schedule(check.everyMs), dueAt: now + check.firstMs },
    }));
  }

  /** Makes the check that is due first, if its time has come. One that could not be tried is due again after `ROUND_MS`. */
  async next(): Promise<Made | undefined> {
    const from = performance.now();
    const [first] = this.#planned.toSorted((one, other) => one.dueAt - other.dueAt);
    if (!first || first.dueAt > from) return undefined;
    const made = await makeSteps(first.check.make);
    const { outcomes } = made;
    first.dueAt = from + (outcomes.length === 0 ? ROUND_MS : first.schedule.after(outcomes));
    return made;
  }
}
