import type { Connection } from 'mongoose';
import { measureAhead } from '#shared/async/remote-clock.ts';
import { SingleFlight } from '#shared/async/single-flight.ts';
import { DomainError } from '#shared/errors/domain-error.ts';

/** How long a process extrapolates by its monotonic clock. */
const COUNTED_MS = 5_000;

/** The database's clock, which all processes share. DocumentDB refuses `$$NOW` in a filter. */
export class DatabaseClock {
  readonly #connection: Connection;
  readonly #measuring = new SingleFlight<void>();
  /** The database's time minus `performance.now()`, in ms, and until when it is valid. */
  #aheadMs = 0;
  #until = Number.NEGATIVE_INFINITY;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** @param ms is added to the time. @throws DomainError `unavailable`, or an error of MongoDB's driver. */
  async now(ms = 0): Promise<Date> {
    if (performance.now() >= this.#until) await this.#measuring.run(() => this.#measure());
    return new Date(this.#aheadMs + performance.now() + ms);
  }

  async #measure(): Promise<void> {
    const { db } = this.#connection;
    if (!db) throw new DomainError('unavailable');
    this.#aheadMs = await measureAhead(async () => (await db.command({ hello: 1 })).localTime.getTime());
    this.#until = performance.now() + COUNTED_MS;
  }
}
