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

/** `aheadMs`: the database's time minus `performance.now()`, in ms; `at`: when it was measured, of `performance.now()`. */
type Measure = { aheadMs: number; at: number; running: SingleFlight<void> };

/** The clocks of one connection share their measure. */
const MEASURES = new WeakMap<Connection, Measure>();

/**
 * The database's clock, which all processes share. It decides what is deleted, in force, over and billed, because the clock
 * of one process may be wrong. DocumentDB refuses `$$NOW` in a filter.
 */
export class DatabaseClock {
  readonly #connection: Connection;
  readonly #measure: Measure;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#measure = MEASURES.get(connection) ?? {
      aheadMs: Date.now() - performance.now(),
      at: Number.NEGATIVE_INFINITY,
      running: new SingleFlight(),
    };
    MEASURES.set(connection, this.#measure);
  }

  /**
   * Returns the database's time, by a measure of the last minute.
   * @param ms is added to the time.
   * @throws DomainError `unavailable`, or an error of MongoDB's driver, if a new measure is needed and fails.
   */
  async now(ms = 0): Promise<Date> {
    if (this.#ageMs >= KEPT_MS) await this.#renewed();
    return new Date(this.estimate() + ms);
  }

  /**
   * Returns the database's time in ms since 1970, without a wait, for what goes on while MongoDB is away. The last measure
   * holds, however old: in half an hour the clocks drift apart by less than 2 s. Before the first one, this process's own
   * clock holds; a service measures before it gets ready.
   */
  estimate(): number {
    if (this.#ageMs >= FRESH_MS) this.#renewed().catch(() => {}); // the last measure holds
    return Math.round(this.#measure.aheadMs + performance.now());
  }

  /** Returns how far this process's clock is ahead of the database's, in ms. @throws as `now` does. */
  async differenceMs(): Promise<number> {
    return Date.now() - (await this.now()).getTime();
  }

  get #ageMs(): number {
    return performance.now() - this.#measure.at;
  }

  #renewed(): Promise<void> {
    const measure = this.#measure;
    return measure.running.run(async () => {
      measure.aheadMs = await measureAhead(() =>
        withTimeout(ANSWER_MS, "The database's clock", this.#read()),
      );
      measure.at = performance.now();
    });
  }

  async #read(): Promise<number> {
    const { db } = this.#connection;
    if (!db) throw new DomainError('unavailable');
    return (await db.command({ hello: 1 })).localTime.getTime();
  }
}
