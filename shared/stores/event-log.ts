import { setTimeout as delay } from 'node:timers/promises';
import { type Connection, mongo } from 'mongoose';
import { MAX_EVENTS, MAX_EVENTS_OF_GUIDE } from '#shared/contracts/event.ts';
import { driverOf, modelOf, type StoredModel, unfinishedIds } from './collection.ts';
import { DatabaseClock } from './database-clock.ts';
import { EVENTS, type LogEntry } from './event-model.ts';
import { DUPLICATE_KEY } from './mongo.ts';

/**
 * The events of guides and their cancellations, in MongoDB: one log for each account, whose entries are numbered
 * without a gap from 1. An entry's `_id` is account and number, and an append is a compare-and-set on it. The writer
 * reads the last number, then the data of its decision, and inserts under the next numbers. A successful insert proves
 * that no append came between. Readers by number therefore skip nothing, despite several processes and clocks. The
 * database's clock decides when an entry is old enough to be shown.
 */

export type NewEntry = Omit<LogEntry, '_id' | 'append' | 'registered' | 'openSince' | 'personal'> & {
  /** Of an entry that names a person: when the guide was created. */
  retentionStart?: Date;
};
/** Entries appended together. `open`: the ids under which the append is open until `done`, filled by its attempts. */
export type Append = { id: string; open: string[] };
/**
 * A part of the feed. `next`: the number to continue after; `hasPending`: whether entries follow that are not shown
 * yet.
 */
export type FeedPage = { entries: LogEntry[]; next: number; hasPending: boolean };

/** Age at which an entry is shown, in ms (docs/contract.md "Events"): its guide has the new status by then. */
export const SHOWN_MS = 5_000;
/** Longest pause before an append that another one overtook is tried again, in ms. */
const PAUSE_MS = 20;
const DIGITS = 12;
const MAX_NUMBER = 10 ** DIGITS - 1;
/** What a majority of the servers has, no failover takes back. */
const MAJORITY = 'majority';

export class EventLog {
  readonly #clock: DatabaseClock;
  readonly #entries: StoredModel<LogEntry>;

  constructor(connection: Connection) {
    this.#clock = new DatabaseClock(connection);
    this.#entries = modelOf(connection, EVENTS);
  }

  /**
   * Appends to an account's log what `decide` returns for its current state. If another process appends first, `decide`
   * is called again. After a lost answer the append may be repeated, and `decide` then finds entries with its id.
   * @param signal ends the attempts.
   * @returns the result of the decision that holds.
   */
  async append<Result>(
    account: string,
    append: Append,
    decide: () => Promise<{ entries: readonly NewEntry[]; result: Result }>,
    signal: AbortSignal,
  ): Promise<Result> {
    for (;;) {
      signal.throwIfAborted();
      const last = await this.last(account);
      const [{ entries, result }, registered] = await Promise.all([decide(), this.#clock.now()]);
      if (entries.length === 0) return result;
      append.open.push(idOf(account, last + 1));
      const documents = entries.map(({ retentionStart, ...entry }, i) => ({
        ...entry,
        ...(retentionStart && { personal: retentionStart }),
        _id: idOf(account, last + 1 + i),
        append: append.id,
        registered,
        ...(i === 0 && { openSince: registered }),
      }));
      if (await this.#insert(documents)) return result;
      await delay(Math.random() * PAUSE_MS);
    }
  }

  /** @returns false where one of the numbers is taken; entries before it may be there. */
  async #insert(documents: LogEntry[]): Promise<boolean> {
    try {
      await driverOf(this.#entries).insertMany(documents, { ordered: true });
      return true;
    } catch (error) {
      if (error instanceof mongo.MongoServerError && error.code === DUPLICATE_KEY) return false;
      throw error;
    }
  }

  /** Marks an append as done: its guides have their new status. */
  async done({ id, open }: Append): Promise<void> {
    if (open.length === 0) return;
    await this.#entries.updateMany({ _id: { $in: open }, append: id }, { $unset: { openSince: 1 } });
  }

  /** Returns the number of an account's last entry, 0 without one. */
  async last(account: string): Promise<number> {
    const [last] = await this.#entries
      .find({ _id: after(account, 0) })
      .readConcern(MAJORITY)
      .select<{ _id: string }>({ _id: 1 })
      .sort({ _id: -1 })
      .limit(1)
      .lean();
    return last ? numberOf(last._id) : 0;
  }

  /**
   * Returns whether a number is 0 or that of an entry. It asks for what the primary has, by whatever majority: right after a
   * failover that is more than a majority is known to have.
   */
  async has(account: string, number: number): Promise<boolean> {
    return number === 0 || (await this.#entries.exists({ _id: idOf(account, number) })) !== null;
  }

  /** Returns up to `limit` entries of an account after a number, as far as they are shown. */
  async page(account: string, number: number, limit: number): Promise<FeedPage> {
    const found = await this.#entries
      .find({ _id: after(account, number) })
      .readConcern(MAJORITY)
      .batchSize(limit)
      .sort({ _id: 1 })
      .limit(limit)
      .lean();
    const now = (await this.#clock.now()).getTime();
    // After a failover the clock may be another server's: an entry of one that was ahead must hold up no feed.
    const pending = found.findIndex(({ registered }) => Math.abs(now - registered.getTime()) < SHOWN_MS);
    const entries = pending < 0 ? found : found.slice(0, pending);
    return { entries, next: number + entries.length, hasPending: pending >= 0 };
  }

  /** Returns all entries of these guides, those of a guide in the order in which its account registered them. */
  ofGuides(numbers: readonly string[]): Promise<LogEntry[]> {
    const batchSize = numbers.length * MAX_EVENTS_OF_GUIDE;
    return this.#entries
      .find({ 'told.Guia': { $in: [...numbers] } })
      .readConcern(MAJORITY)
      .batchSize(batchSize)
      .sort({ 'told.Guia': 1, _id: 1 })
      .lean()
      .exec();
  }

  /** Returns the ids under which appends are open, the oldest first. */
  unfinishedIds(): Promise<string[]> {
    return unfinishedIds(this.#entries);
  }

  /** Returns the append that is open under an id, its account and the guides of its entries; undefined where it is done. */
  async openAppend(
    _id: string,
  ): Promise<{ append: Append; account: string; guides: Set<string> } | undefined> {
    const account = _id.slice(0, -DIGITS - 1);
    const range = { $gte: _id, $lt: idOf(account, numberOf(_id) + MAX_EVENTS) };
    const found = await this.#entries.find({ _id: range }).batchSize(MAX_EVENTS).sort({ _id: 1 }).lean();
    const [first] = found;
    if (first?._id !== _id || !first.openSince) return undefined;
    const entries = found.filter((entry) => entry.append === first.append);
    const guides = new Set(entries.map(({ told }) => told.Guia));
    return { append: { id: first.append, open: [_id] }, account, guides };
  }
}

/** An entry as customers see it in the feed and in messages to their webhooks: without names and addresses. */
export function feedEvent({ told, status, version, reference, registered }: LogEntry) {
  const { Guia, Anula, Recibe, Nota, ...event } = told;
  return {
    ...event,
    SEND_GUIA: Guia,
    ...(reference !== undefined && { Referencia: reference }),
    SEND_ESTATUS: status,
    Version: version,
    Registrado: registered.toISOString(),
  };
}

function idOf(account: string, number: number): string {
  return `${account} ${String(number).padStart(DIGITS, '0')}`;
}

function numberOf(_id: string): number {
  return Number(_id.slice(-DIGITS));
}

/** Selects the entries of an account after a number. */
function after(account: string, number: number) {
  return { $gt: idOf(account, number), $lte: idOf(account, MAX_NUMBER) };
}
