import type { Connection } from 'mongoose';
import { memoizeFor } from '#shared/async/memoize-for.ts';
import { DomainError } from '#shared/errors/domain-error.ts';

/** How long a process counts on by itself before it asks again, in ms. */
const COUNTED_MS = 5_000;
/** An answer that takes longer, in ms, may be wrong by half of it, as when the database hung meanwhile: it is asked again. */
const SLOW_MS = 500;
/** How often it is asked at most; then the quickest answer holds. */
const MAX_ASKED = 3;

/**
 * The database's clock, the one that all processes share: what one process notes and another one compares must be on one
 * clock, since their own may be minutes apart. A process asks for the time and counts on by its monotonic clock.
 *
 * `$$NOW` would do for updates, but DocumentDB refuses it in a filter.
 */
export class DatabaseClock {
  readonly #connection: Connection;
  /** What to add to `performance.now()`, in ms. */
  readonly #offset = memoizeFor(COUNTED_MS, () => this.#ask());

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** @param ms what to add, in ms. @throws DomainError `unavailable`; what MongoDB's driver throws. */
  async now(ms = 0): Promise<Date> {
    return new Date((await this.#offset()) + performance.now() + ms);
  }

  async #ask(): Promise<number> {
    const { db } = this.#connection;
    if (!db) throw new DomainError('unavailable');
    let quickestMs = Number.POSITIVE_INFINITY;
    let offset = 0;
    for (let asked = 0; asked < MAX_ASKED && quickestMs > SLOW_MS; asked++) {
      const from = performance.now();
      const { localTime } = await db.command({ hello: 1 });
      const to = performance.now();
      if (to - from >= quickestMs) continue;
      quickestMs = to - from;
      offset = (localTime as Date).getTime() - (from + to) / 2;
    }
    return offset;
  }
}
