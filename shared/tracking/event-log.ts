import type { Connection } from 'mongoose';
import { isTestNumber } from '#shared/guides/guide.ts';
import { MAX_EVENTS } from '#shared/tracking/event.ts';
import { modelOf, type StoredModel, unfinishedIds } from '../stores/collection.ts';
import { DatabaseClock } from '../stores/database-clock.ts';
import {
  after,
  idOf,
  insertNext,
  lastNumber,
  logIn,
  MAJORITY,
  MAX_NUMBER,
  numberOf,
  pauseOvertaken,
} from '../stores/numbered-log.ts';
import { EVENTS, type LogEntry, publicFields } from './event-model.ts';

/**
 * The events of guides and their cancellations, in MongoDB: a log for each account, whose entries get the numbers from 1
 * on without a gap. Entries of a test account expire, and leave gaps that no reader notices.
 * An entry's `_id` is account and number, and an append is a compare-and-set on it. The writer reads the last number,
 * then the data of its decision, and inserts under the next numbers. A successful insert proves that there was no other
 * append in between. Readers by number therefore skip nothing, despite several processes and clocks.
 */

export type NewEntry = Omit<
  LogEntry,
  '_id' | 'append' | 'registered' | 'openSince' | 'personal' | 'keptUntil'
> & {
  /** When the guide was created, if the entry names a person. */
  retentionStart?: Date;
};
/** An entry without what only lists of events, or bills, show of it. */
export type ToldEntry = Omit<LogEntry, 'adjustment' | 'unquoted' | 'reference'>;
/** `open`: the ids under which the append is open until `done`. Its attempts fill the list. */
export type Append = { id: string; open: string[] };
/** `next`: the number to continue after. `hasPending`: whether entries follow that are not shown yet. */
export type FeedPage = { entries: LogEntry[]; next: number; hasPending: boolean };

/**
 * Age by the database's clock at which an entry is shown though its append is open (docs/contract.md "Events"): a process that
 * died must not hold up the feed until a sweep finishes its append.
 */
const HIDDEN_MS = 5_000;
/** Most entries of guides that are read in one round trip, some hundreds of bytes each. */
const ENTRIES_AT_ONCE = 1_000;

export class EventLog {
  readonly #clock: DatabaseClock;
  readonly #entries: StoredModel<LogEntry>;

  constructor(connection: Connection) {
    this.#clock = new DatabaseClock(connection);
    this.#entries = modelOf(connection, EVENTS);
  }

  /** Returns the time by which the log goes. @throws as `DatabaseClock` does. */
  now(): Promise<Date> {
    return this.#clock.now();
  }

  /**
   * Appends to an account's log what `decide` returns for the current state. If another process appends first, calls
   * `decide` again. After a lost answer the append may be repeated, and `decide` then finds entries with the append's id.
   * @param signal ends the attempts.
   * @returns the result of the decision that was stored.
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
      const documents = entries.map(({ retentionStart, expiresAt, ...entry }, i) => ({
        ...entry,
        ...(retentionStart && { personal: retentionStart }),
        ...(expiresAt && (i === entries.length - 1 ? { keptUntil: expiresAt } : { expiresAt })),
        _id: idOf(account, last + 1 + i),
        append: append.id,
        registered,
        ...(i === 0 && { openSince: registered }),
      }));
      if (await insertNext(this.#entries, documents)) {
        if (entries[0]?.expiresAt) await this.#letExpire(account, last);
        return result;
      }
      await pauseOvertaken();
    }
  }

  /** Lets MongoDB delete an entry that is no longer its account's last one. After a crash the entry stays for ever. */
  async #letExpire(account: string, number: number): Promise<void> {
    const filter = { _id: idOf(account, number), keptUntil: { $exists: true } };
    await this.#entries.updateOne(filter, { $rename: { keptUntil: 'expiresAt' } });
  }

  /** Ends an append. Call it when the guides have their new status. */
  async done({ id, open }: Append): Promise<void> {
    if (open.length === 0) return;
    await this.#entries.updateMany({ _id: { $in: open }, append: id }, { $unset: { openSince: 1 } });
  }

  /** Returns the number of an account's last entry, 0 without one. */
  last(account: string): Promise<number> {
    return lastNumber(this.#entries, account);
  }

  /**
   * Returns whether a number is 0, or the primary has an entry with this or a later number. After a failover a majority may
   * not know yet what the primary has.
   */
  async has(account: string, number: number): Promise<boolean> {
    return number === 0 || (await this.#entries.exists({ _id: after(account, number - 1) })) !== null;
  }

  /**
   * Returns up to `limit` shown entries of an account after a number. An entry is hidden while its append is open, because
   * its guide may not have the new status yet. Numbers may be missing, because entries of a test account expire.
   * @param upTo the last number that is wanted.
   */
  async page(account: string, number: number, limit: number, upTo = MAX_NUMBER): Promise<FeedPage> {
    const cursor = idOf(account, number);
    const read = await this.#entries
      .find({ _id: { $gte: cursor, $lte: idOf(account, upTo) } })
      .readConcern(MAJORITY)
      .batchSize(limit + 1)
      .sort({ _id: 1 })
      .limit(limit + 1)
      .lean();
    const [before] = read;
    const hasCursor = before?._id === cursor;
    const found = hasCursor ? read.slice(1) : read.slice(0, limit);
    const now = (await this.#clock.now()).getTime();
    // After a failover the clock may be another server's. An entry from a clock that was ahead must not hold up the feed.
    const recent = ({ registered }: LogEntry) => Math.abs(now - registered.getTime()) < HIDDEN_MS;
    const [first] = found;
    const isWithinAppend = hasCursor && first?.append === before.append;
    const pending =
      first && isWithinAppend && recent(first) && (await this.#isOpenUntil(account, first))
        ? 0
        : found.findIndex((entry) => entry.openSince && recent(entry));
    const entries = pending < 0 ? found : found.slice(0, pending);
    const last = entries.at(-1);
    return { entries, next: last ? numberOf(last._id) : number, hasPending: pending >= 0 };
  }

  /**
   * Returns whether the append of an entry is open. An attempt stores its entries one after the other, and the first of
   * them, which says so, stands before a reader's page if that begins within the attempt.
   */
  async #isOpenUntil(account: string, { _id, append }: LogEntry): Promise<boolean> {
    const from = idOf(account, Math.max(1, numberOf(_id) - MAX_EVENTS + 1));
    const attempt = await this.#entries
      .find({ _id: { $gte: from, $lte: _id }, append })
      .readConcern(MAJORITY)
      .select<{ _id: string; openSince?: Date }>({ openSince: 1 })
      .batchSize(MAX_EVENTS)
      .sort({ _id: 1 })
      .lean();
    // After a failover a majority may not know yet what it knew when the page was read.
    return attempt.at(-1)?._id !== _id || attempt.some(({ openSince }) => openSince);
  }

  /** Returns all entries of these guides, those of a guide in the order of the log. */
  ofGuides(numbers: readonly string[]): Promise<ToldEntry[]> {
    return this.#ofGuides(numbers)
      .select<ToldEntry>({ adjustment: 0, unquoted: 0, reference: 0 })
      .lean()
      .exec();
  }

  /** Returns all entries of a guide with all that they have. */
  wholeOfGuide(number: string): Promise<LogEntry[]> {
    return this.#ofGuides([number]).lean().exec();
  }

  /** Returns when the last event of a guide occurred, in ms since 1970; 0 without one. */
  async latestOf(number: string): Promise<number> {
    const told = await this.#ofGuides([number])
      .select<{ told: { Ocurrido: string } }>({ 'told.Ocurrido': 1 })
      .lean();
    return told.reduce((last, { told }) => Math.max(last, Date.parse(told.Ocurrido)), 0);
  }

  /** A batch is parsed in one turn of the event loop. */
  #ofGuides(numbers: readonly string[]) {
    return this.#entries
      .find({ 'told.Guia': { $in: [...numbers] } })
      .readConcern(MAJORITY)
      .batchSize(ENTRIES_AT_ONCE)
      .sort({ 'told.Guia': 1, _id: 1 });
  }

  /** Returns the ids under which appends are open, the oldest first. */
  unfinishedIds(): Promise<string[]> {
    return unfinishedIds(this.#entries);
  }

  /** Returns the append that is open under an id, and the guides of its entries; undefined if it is done. */
  async openAppend(
    _id: string,
  ): Promise<{ append: Append; account: string; guides: Set<string> } | undefined> {
    const account = logIn(_id);
    const range = { $gte: _id, $lt: idOf(account, numberOf(_id) + MAX_EVENTS) };
    const found = await this.#entries.find({ _id: range }).batchSize(MAX_EVENTS).sort({ _id: 1 }).lean();
    const [first] = found;
    if (first?._id !== _id || !first.openSince) return undefined;
    const entries = found.filter((entry) => entry.append === first.append);
    const guides = new Set(entries.map(({ told }) => told.Guia));
    return { append: { id: first.append, open: [_id] }, account, guides };
  }
}

/** Returns an entry as customers see it, in the feed and in messages to webhooks: without names and addresses. */
export function feedEvent({
  told: body,
  status,
  version,
  adjustment,
  reference,
  facts,
  registered,
}: LogEntry) {
  const { Guia } = body;
  return {
    ...publicFields(body),
    SEND_GUIA: Guia,
    ...(reference !== undefined && { Referencia: reference }),
    ...facts,
    ...(isTestNumber(Guia) && { Prueba: true as const }),
    SEND_ESTATUS: status,
    Version: version,
    ...(adjustment && { Ajuste: adjustment }),
    Registrado: registered.toISOString(),
  };
}
