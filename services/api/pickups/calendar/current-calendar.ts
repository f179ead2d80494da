import { SingleFlight } from '#shared/async/single-flight.ts';
import { DomainError } from '#shared/errors/domain-error.ts';
import type { PickupCalendar } from '#shared/pickups/calendar-model.ts';
import { type CalendarStore, NO_CALENDAR } from './calendar-store.ts';

/** How long a look holds, in ms: a load is in force on every process within two seconds. */
const FRESH_MS = 2_000;

/** The calendar of pick-ups that is in force, in this process. Its number is read with each look, its rows only if that differs. */
export class CurrentCalendar {
  readonly #store: CalendarStore;
  readonly #looking = new SingleFlight<void>();
  #known: { version: number; calendar: PickupCalendar } | undefined;
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(store: CalendarStore) {
    this.#store = store;
  }

  /** @throws what MongoDB's driver throws: without MongoDB nobody can ask for a pick-up anyway. */
  async inForce(): Promise<PickupCalendar> {
    if (performance.now() - this.#lookedAt >= FRESH_MS) await this.#looking.run(() => this.#look());
    return this.#known?.calendar ?? NO_CALENDAR;
  }

  async #look(): Promise<void> {
    const at = performance.now();
    const version = await this.#store.version();
    if (version !== this.#known?.version) {
      const stored = version === 0 ? undefined : await this.#store.read(version);
      if (version > 0 && !stored) throw new DomainError('unavailable');
      this.#known = { version, calendar: stored?.calendar ?? NO_CALENDAR };
    }
    this.#lookedAt = at;
  }
}
