import { repeat } from '#shared/async/repeat.ts';
import { SingleFlight } from '#shared/async/single-flight.ts';
import { type Dependencies, dependencyStates } from '#shared/stores/dependencies.ts';
import type { Diagnosis } from './diagnoses/finding.ts';
import { diagnoseOwn } from './diagnoses/stores.ts';
import { diagnose } from './diagnostics.ts';
import type { Episode, ProblemHistory } from './problem-history.ts';
import type { QueueState, ReadState } from './queue-state.ts';

const LOOK_MS = 2_000;

/** `since`: when the problem was seen first, in ms since 1970; undefined if just now. */
export type Look = {
  state: QueueState;
  problems: (Diagnosis & { since: number | undefined })[];
  ended: Episode[];
};

type Options = {
  readState: ReadState;
  dependencies: Dependencies;
  history: ProblemHistory;
};

/**
 * Looks for problems when a page asks, and every two seconds. So the page can say when a problem of the night began and
 * ended, although nobody looked. Everybody who asks at the same time shares a look.
 */
export class Watch {
  readonly #options: Options;
  readonly #looking = new SingleFlight<Look>();
  readonly #checking = new SingleFlight<Diagnosis[]>();
  #stop = async () => {};

  constructor(options: Options) {
    this.#options = options;
  }

  start(): void {
    // The stores log their outages.
    this.#stop = repeat(() => this.look(), { pauseMs: LOOK_MS });
  }

  stop(): Promise<void> {
    return this.#stop();
  }

  /** @throws if the queue's Redis does not answer. */
  look(): Promise<Look> {
    return this.#looking.run(() => this.#look());
  }

  /** Returns which stores the dashboard itself does not reach, within a second. */
  outages(): Promise<Diagnosis[]> {
    return this.#checking.run(async () => diagnoseOwn(await dependencyStates(this.#options.dependencies)));
  }

  async #look(): Promise<Look> {
    const { readState, history, dependencies } = this.#options;
    const begun = history.now();
    const reached = dependencyStates(dependencies);
    let state: QueueState;
    try {
      state = await readState(reached);
    } catch (error) {
      await history.record(diagnoseOwn(await reached), history.now(), begun);
      throw error;
    }
    const { at } = state;
    await history.read();
    const problems = diagnose(state, history.lastSeen());
    await history.record(problems, at);
    return {
      state,
      problems: problems.map((problem) => ({ ...problem, since: history.since(problem.id, at) })),
      ended: history.ended(problems),
    };
  }
}
