import type { Series } from '../steps/series.ts';
import { type Made, makeSteps } from '../steps/steps.ts';
import { Pace } from './pace.ts';

/** Pause of a series that could not be tried, in ms. */
const SKIPPED_MS = 15_000;

/** Makes the series one after the other, each as often as it says, so that they add one label at a time. */
export class Turns {
  /** `dueAt` of `performance.now()`. */
  readonly #turns: { series: Series; pace: Pace; dueAt: number }[];

  constructor(all: readonly Series[]) {
    const now = performance.now();
    this.#turns = all.map((series) => ({
      ...{ series, pace: new Pace(series.everyMs), dueAt: now + series.firstMs },
    }));
  }

  /** Makes the series that is due first, if its time has come. */
  async next(): Promise<Made | undefined> {
    const from = performance.now();
    const [turn] = this.#turns.toSorted((one, other) => one.dueAt - other.dueAt);
    if (!turn || turn.dueAt > from) return undefined;
    const made = await makeSteps(turn.series.make);
    const { outcomes } = made;
    turn.dueAt = from + (outcomes.length === 0 ? SKIPPED_MS : turn.pace.after(outcomes));
    return made;
  }
}
