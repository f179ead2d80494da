import { setTimeout as delay } from 'node:timers/promises';
import { type Connection, mongo } from 'mongoose';
import { type Event, type EventType, type GuideStatus, MAX_EVENTS } from '#shared/contracts/event.ts';
import { collectionOf, DUPLICATE_KEY } from './mongo.ts';

/**
 * The events of guides and their cancellations, in MongoDB: one log for each account, whose entries are numbered without a
 * gap from 1.
 *
 * An entry's `_id` is account and number, and an append is a compare-and-set on it: whoever appends reads the last number
 * first, then all that the decision needs, and inserts under the numbers after it. An insert that succeeds proves that
 * nothing was appended in between. So no number is missing or comes late, and whoever reads by number skips nothing,
 * however many processes write and whatever their clocks say.
 */

/** What an entry tells: an event with its id, or that the guide was cancelled. */
export type Told = Omit<Event, 'Id' | 'Tipo'> & { Id: string; Tipo: EventType | 'Cancelacion' };
export type NewEntry = {
  told: Told;
  /** SEND_ESTATUS of the guide after it. */
  status: GuideStatus;
  /** How many entries the guide has, with this one. */
  version: number;
  /** The customer's own number of the guide. */
  reference?: string;
  /** Who told it. */
  username: string;
  /** Where it names a person: when the guide was created, from which on its retention counts. */
  personal?: Date;
};
export type LogEntry = NewEntry & {
  /** The account, a blank, and the number in twelve digits; a name of an account has no blank. */
  _id: string;
  /** Id of the append that it came with. */
  append: string;
  registered: Date;
  /** Of the first entry of an append until the guides have their new status: when it was appended. */
  openSince?: Date;
};
/** A stretch of the feed. `next`: the number to go on after; `hasYoung`: whether entries follow that are not shown yet. */
export type FeedPage = { entries: LogEntry[]; next: number; hasYoung: boolean };

/** Age at which an entry is shown, in ms (docs/contract.md "Events"): its guide has the new status by then. */
export const SHOWN_MS = 5_000;
/** Longest pause before an append that another one overtook is tried again, in ms. */
const PAUSE_MS = 20;
const DIGITS = 12;
const MAX_NUMBER = 10 ** DIGITS - 1;
/** What a majority of the servers has, no failover takes back. */
const MAJORITY = { readConcern: 'majority' } as const;

export class EventLog {
  readonly #entries: mongo.Collection<LogEntry>;

  constructor(connection: Connection) {
    this.#entries = collectionOf(connection, 'events');
  }

  /** Creates the indexes: by guide, of the few entries with personal data, and of the fewer open ones. */
  async open(): Promise<void> {
    await this.#entries.createIndex({ 'told.Guia': 1 });
    for (const field of ['personal', 'openSince']) {
      const ofThoseWithIt = { partialFilterExpression: { [field]: { $exists: true } } };
      await this.#entries.createIndex({ [field]: 1 }, ofThoseWithIt);
    }
  }

  /**
   * Appends to an account's log what `decide` makes of the log as it is. Where another process appends first, `decide` is
   * asked again. After a lost answer the same append may be repeated: `decide` then finds entries with its id.
   *
   * @param append id of this append.
   * @param signal ends the attempts.
   * @returns the result of the decision that holds, and the ids under which the append is open until `done`.
   */
  async append<Result>(
    account: string,
    append: string,
    decide: () => Promise<{ entries: readonly NewEntry[]; result: Result }>,
    signal: AbortSignal,
  ): Promise<{ result: Result; open: string[] }> {
    const open: string[] = [];
    for (;;) {
      signal.throwIfAborted();
      const last = await this.last(account);
      const { entries, result } = await decide();
      if (entries.length === 0) return { result, open };
      open.push(idOf(account, last + 1));
      if (await this.#insert(account, last, append, entries)) return { result, open };
      await delay(Math.random() * PAUSE_MS);
    }
  }

  /** @returns false where one of the numbers is taken; entries before it may be there. */
  async #insert(
    account: string,
    last: number,
    append: string,
    entries: readonly NewEntry[],
  ): Promise<boolean> {
    const registered = new Date();
    const documents = entries.map((entry, i) => ({
      ...entry,
      _id: idOf(account, last + 1 + i),
      append,
      registered,
      ...(i === 0 && { openSince: registered }),
    }));
    try {
      await this.#entries.insertMany(documents, { ordered: true });
      return true;
    } catch (error) {
      if (error instanceof mongo.MongoServerError && error.code === DUPLICATE_KEY) return false;
      throw error;
    }
  }

  /** Says that the guides of an append have their new status. */
  async done(append: string, open: readonly string[]): Promise<void> {
    if (open.length === 0) return;
    await this.#entries.updateMany({ _id: { $in: [...open] }, append }, { $unset: { openSince: 1 } });
  }

  /** Returns the number of an account's last entry, 0 without one. */
  async last(account: string): Promise<number> {
    const [last] = await this.#entries
      .find({ _id: after(account, 0) }, MAJORITY)
      .project<{ _id: string }>({ _id: 1 })
      .sort({ _id: -1 })
      .limit(1)
      .toArray();
    return last ? numberOf(last._id) : 0;
  }

  /** Returns up to `limit` entries of an account after a number, as far as they are shown. */
  async page(account: string, number: number, limit: number): Promise<FeedPage> {
    const found = await this.#entries
      .find({ _id: after(account, number) }, MAJORITY)
      .sort({ _id: 1 })
      .limit(limit)
      .toArray();
    const now = Date.now();
    // An entry of a clock that is ahead must hold up no feed.
    const young = found.findIndex(({ registered }) => Math.abs(now - registered.getTime()) < SHOWN_MS);
    const entries = young < 0 ? found : found.slice(0, young);
    return { entries, next: number + entries.length, hasYoung: young >= 0 };
  }

  /** Returns all entries of these guides. */
  ofGuides(numbers: readonly string[]): Promise<LogEntry[]> {
    return this.#entries.find({ 'told.Guia': { $in: [...numbers] } }, MAJORITY).toArray();
  }

  /** Finds appends that are open for longer than `ms`, each with the id of its first entry and its guides. */
  async *overdue(ms: number): AsyncGenerator<{ append: string; open: string[]; guides: string[] }> {
    const openSince = { $lt: new Date(Date.now() - ms) };
    for await (const { _id, append } of this.#entries.find({ openSince })) {
      const account = _id.slice(0, -DIGITS - 1);
      const number = numberOf(_id);
      const range = { $gte: _id, $lt: idOf(account, number + MAX_EVENTS) };
      const entries = await this.#entries.find({ _id: range }).toArray();
      const guides = entries.filter((entry) => entry.append === append).map(({ told }) => told.Guia);
      yield { append, open: [_id], guides: [...new Set(guides)] };
    }
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
