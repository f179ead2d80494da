import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '#shared/observability/logger.ts';
import { PeriodicWork } from '../../periodic-work.ts';
import type { GuideList } from './guide-list.ts';

/** How often a process looks for guides that an api of release 1.1 has stored, in ms. */
const PERIOD_MS = 10_000;
/** Longest wait of a start for the list, in ms: enough where there are few guides; a full database takes minutes. */
const START_MS = 1_000;

/**
 * Makes the list of guides ready in the background, and keeps it right while an api of release 1.1 runs beside this one.
 * Every api process does so; two that meet do the same.
 */
export class ListUpkeep {
  readonly #end = new AbortController();
  readonly #work: PeriodicWork;

  constructor(list: GuideList, log: Pick<Logger, 'warn'>) {
    this.#work = new PeriodicWork({
      periodMs: PERIOD_MS,
      work: () => list.open(this.#end.signal),
      onError: (err) => log.warn({ err }, 'The list of guides has to wait for its next upkeep'),
    });
  }

  /** Begins, and goes on every ten seconds until `close`. Resolves when the list is ready, or after a second. */
  async start(): Promise<void> {
    await Promise.race([this.#work.start(), delay(START_MS, undefined, { ref: false })]);
  }

  async close(): Promise<void> {
    this.#end.abort();
    await this.#work.close();
  }
}
