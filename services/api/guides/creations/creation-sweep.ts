import type { Logger } from '#shared/observability/logger.ts';
import { PeriodicWork } from '../../periodic-work.ts';
import type { GuideStore, PendingGuide } from '../guide-store.ts';

/** How often a process looks for creations that a crash has cut, in ms. */
const SWEEP_MS = 10_000;
/** Guides that one sweep ends: the largest creations of two crashed processes. */
const MAX_GUIDES_A_SWEEP = 2_000;

/**
 * Ends what crashes have cut: guides of a creation that is `created` stop being pending, those of any other are removed, once
 * it is `aborted`. Every api process sweeps; two that meet do the same.
 */
export class CreationSweep {
  readonly #guides: GuideStore;
  readonly #log: Pick<Logger, 'info' | 'warn'>;
  readonly #work: PeriodicWork;
  #indexed = false;

  constructor(guides: GuideStore, log: Pick<Logger, 'info' | 'warn'>) {
    this.#guides = guides;
    this.#log = log;
    this.#work = new PeriodicWork({
      periodMs: SWEEP_MS,
      work: () => this.#openAndSweep(),
      onError: (err) => log.warn({ err }, 'Creations that were cut have to wait for the next sweep'),
    });
  }

  /** Sweeps at once, then every ten seconds, until `close`. */
  start(): void {
    void this.#work.start();
  }

  close(): Promise<void> {
    return this.#work.close();
  }

  async #openAndSweep(): Promise<void> {
    // Without the index a sweep would read all guides. It is no step of the start, whose steps a service must have done to
    // be ready: on a full database it takes minutes to build, and requests do without it.
    if (!this.#indexed) await this.#guides.open();
    this.#indexed = true;
    await this.sweep(new Date());
  }

  /** Ends the creations whose guides were to be pending until `moment` or less. */
  async sweep(moment: Date): Promise<void> {
    const overdue = await this.#guides.overdue(moment, MAX_GUIDES_A_SWEEP);
    if (overdue.length === 0) return;
    const creations = [...new Set(overdue.map(({ creation }) => creation))];
    const outcomes = await this.#guides.outcomes.abort(creations);
    const ended = new Map(creations.map((creation, i) => [creation, outcomes[i]]));
    const byOutcome = Map.groupBy(overdue, ({ creation }) => ended.get(creation));
    const created = byOutcome.get('created') ?? [];
    const aborted = byOutcome.get('aborted') ?? [];
    if (created.length > 0) await this.#complete(created, overdue.length < MAX_GUIDES_A_SWEEP);
    if (aborted.length > 0) await this.#guides.remove(aborted);
    this.#log.info(
      { completed: created.length, removed: aborted.length },
      `Creations that were cut have ended: ${created.length} guides completed, ${aborted.length} removed`,
    );
  }

  /** @param all whether these are all pending guides of their creations: an outcome must outlive the last of them. */
  async #complete(created: readonly PendingGuide[], all: boolean): Promise<void> {
    await (all ? this.#guides.complete(created) : this.#guides.release(created));
  }
}
