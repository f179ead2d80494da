import { repeat } from '#shared/async/repeat.ts';
import { SingleFlight } from '#shared/async/single-flight.ts';
import { type Dependencies, dependencyStates } from '#shared/stores/dependencies.ts';
import type { CanaryReader } from './canary-reader.ts';
import { diagnose } from './diagnose.ts';
import { canaryHeadline } from './diagnoses/canary.ts';
import type { Diagnosis } from './diagnoses/diagnosis.ts';
import { diagnoseOwn } from './diagnoses/stores.ts';
import type { DiagnosisHistory, Episode } from './diagnosis-history.ts';
import type { ReadState, SystemState } from './system-state.ts';

const PERIOD_MS = 2_000;

/** What the page shows. `since`: when it was seen first, in ms since 1970; undefined if just now. */
export type Status = {
  state: SystemState;
  diagnoses: (Diagnosis & { since: number | undefined })[];
  ended: Episode[];
};

type Options = {
  readState: ReadState;
  canary: Pick<CanaryReader, 'latest'>;
  dependencies: Dependencies;
  history: DiagnosisHistory;
};

/**
 * Reads the status when a page asks, and every two seconds. So the page can say when a fault of the night began and
 * ended, although nobody looked. Everybody who asks at the same time shares a reading.
 */
export class Watch {
  readonly #options: Options;
  readonly #reading = new SingleFlight<Status>();
  readonly #checking = new SingleFlight<Diagnosis[]>();
  #stop = async () => {};

  constructor(options: Options) {
    this.#options = options;
  }

  start(): void {
    // The stores log their outages.
    this.#stop = repeat(() => this.status(), { pauseMs: PERIOD_MS });
  }

  stop(): Promise<void> {
    return this.#stop();
  }

  /** @throws if the queue's Redis does not answer. */
  status(): Promise<Status> {
    return this.#reading.run(() => this.#read());
  }

  /** Returns which stores the dashboard itself does not reach, within a second. */
  outages(): Promise<Diagnosis[]> {
    return this.#checking.run(async () => diagnoseOwn(await dependencyStates(this.#options.dependencies)));
  }

  /** Returns how "Estado" begins, whichever store is away. Each reading of the status has asked the canary. */
  async customer(): Promise<string> {
    return canaryHeadline(await this.#options.canary.latest()).text;
  }

  async #read(): Promise<Status> {
    const { readState, history, dependencies } = this.#options;
    const begun = history.now();
    const reached = dependencyStates(dependencies);
    let state: SystemState;
    try {
      state = await readState(reached);
    } catch (error) {
      await history.record(diagnoseOwn(await reached), history.now(), begun);
      throw error;
    }
    const { at } = state;
    await history.read();
    const diagnoses = diagnose(state, history.lastSeen());
    await history.record(diagnoses, at);
    return {
      state,
      diagnoses: diagnoses.map((one) => ({ ...one, since: history.since(one.id, at) })),
      ended: history.ended(diagnoses),
    };
  }
}
