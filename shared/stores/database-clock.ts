import type { Connection } from 'mongoose';
import { measureAhead } from '#shared/async/remote-clock.ts';
import { SingleFlight } from '#shared/async/single-flight.ts';
import { withTimeout } from '#shared/async/with-timeout.ts';
import { DomainError } from '#shared/errors/domain-error.ts';

/** Age of a measure, in ms, from which on the database is asked again. */
const FRESH_MS = 5_000;
/** Age, in ms, up to which nobody waits for the new measure: monotonic clocks drift by less than 1 ms in a second. */
const KEPT_MS = 60_000;
/** Longest wait for one answer of the database, in ms. */
const ANSWER_MS = 3_000;

/**
 * The database's clock, which all processes share. It decides what is deleted, in force and billed, because the clock of
 * one process may be wrong. DocumentDB refuses `$$NOW` in a filter.
 */
export class DatabaseClock {
  readonly #connection: Connection;
  readonly #measuring = new SingleFlight<void>();
  /** The database's time minus `performance.now()`, in ms, and when it was measured. */
  #aheadMs = 0;
  #measuredAt = Number.NEGATIVE_INFINITY;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /**
   * Returns the database's time, by a measure of the last minute.
   * @param ms is added to the time.
   * @throws DomainError `unavailable`, or an error of MongoDB's driver, if a new measure is needed and fails.
   */
  async now(ms = 0): Promise<Date> {
    const age = performance.now() - this.#measuredAt;
    if (age >= FRESH_MS) {
      const measuring = this.#measuring.run(() => this.#measure());
      if (age >= KEPT_MS) await measuring;
      else measuring.catch(() => {}); // the last measure holds
    }
    return new Date(this.#aheadMs + performance.now() + ms);
  }

  /** Returns how far this process's clock is ahead of the database's, in ms. @throws as `now` does. */
  async differenceMs(): Promise<number> {
    return Date.now() - (await this.now()).getTime();
  }

  async #measure(): Promise<void> {
    this.#aheadMs = await measureAhead(() => withTimeout(ANSWER_MS, "The database's clock", this.#ask()));
    this.#measuredAt = performance.now();
  }

  async #ask(): Promise<number> {
    const { db } = this.#connection;
    if (!db) throw new DomainError('unavailable');
    return (await db.command({ hello: 1 })).localTime.getTime();
  }
}
