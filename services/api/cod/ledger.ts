import type { Connection } from 'mongoose';
import {
  COD_LEDGER,
  type LedgerEntry,
  type Movement,
  type Range,
  type Remittance,
} from '#shared/cod/ledger-model.ts';
import { modelOf, type StoredModel, unfinishedIds } from '#shared/stores/collection.ts';
import { DatabaseClock } from '#shared/stores/database-clock.ts';
import {
  after,
  idOf,
  insertNext,
  lastNumber,
  MAJORITY,
  numberOf,
  pauseOvertaken,
} from '#shared/stores/numbered-log.ts';

/** What an entry is about: money that moves. */
export type NewEntry =
  | (Pick<LedgerEntry, 'expiresAt'> & { movement: Movement })
  | { remittance: Remittance; makes?: string };
export type NumberedMovement = Movement & { number: number; registered: Date };
export type NumberedRemittance = Remittance & { id: string; registered: Date };
/** The end of a ledger: the number of the last entry, and what the carrier owes after it. */
export type End = { number: number; balance: number };

/**
 * Returns the name of an account's ledger. Money of tests has another one: an account that was once for tests may become a
 * customer's, and is never paid it. No name of an account has a blank.
 */
export function ledgerOf({ account, test }: { account: string; test: boolean }): string {
  return test ? `${account} prueba` : account;
}

/**
 * The ledgers of all accounts in MongoDB. As in the log of events, an append is a compare-and-set on the last number, so that
 * nothing comes between what a decision has read and what it stores. So a movement is in one remittance at a time.
 */
export class Ledger {
  readonly #clock: DatabaseClock;
  readonly #entries: StoredModel<LedgerEntry>;

  constructor(connection: Connection) {
    this.#clock = new DatabaseClock(connection);
    this.#entries = modelOf(connection, COD_LEDGER);
  }

  /**
   * Appends to a ledger what `decide` returns for its end. If another process appends first, calls `decide` again.
   * After a lost answer the append may be repeated: `decide` then finds what is stored.
   * @param signal ends the attempts.
   */
  async append<Result>(
    ledger: string,
    decide: (end: End) => Promise<{ entries: readonly NewEntry[]; result: Result }>,
    signal: AbortSignal,
  ): Promise<Result> {
    for (;;) {
      signal.throwIfAborted();
      const end = await this.end(ledger);
      const { entries, result } = await decide(end);
      if (entries.length === 0) return result;
      const registered = await this.#clock.now();
      let { balance } = end;
      const documents = entries.map((entry, i) => {
        balance += change(entry);
        const _id = idOf(ledger, end.number + 1 + i);
        return {
          ...entry,
          _id,
          balance,
          registered,
          ...('remittance' in entry && { openSince: registered }),
        };
      });
      // Overtaken, or another remittance has its number.
      if (await insertNext(this.#entries, documents)) return result;
      await pauseOvertaken();
    }
  }

  async end(ledger: string): Promise<End> {
    const [last] = await this.#entries
      .find({ _id: after(ledger, 0) })
      .readConcern(MAJORITY)
      .select<{ _id: string; balance: number }>({ balance: 1 })
      .sort({ _id: -1 })
      .limit(1)
      .lean();
    return last ? { number: numberOf(last._id), balance: last.balance } : { number: 0, balance: 0 };
  }

  /** Returns what the carrier owes an account now, in centavos. Entries of tests expire one by one, so what is there is added up. */
  async owed(user: { account: string; test: boolean }): Promise<number> {
    const ledger = ledgerOf(user);
    if (!user.test) return (await this.end(ledger)).balance;
    const [found] = await this.#entries.aggregate<{ owed: number }>([
      { $match: { _id: after(ledger, 0) } },
      { $group: { _id: null, owed: { $sum: '$movement.amount' } } },
    ]);
    return found?.owed ?? 0;
  }

  /** Returns the number of the last entry that was registered up to a moment; 0 without one. */
  lastUntil(account: string, until: Date): Promise<number> {
    return lastNumber(this.#entries, account, { registered: { $lte: until } });
  }

  /** Returns the movements of guides, in the order of the ledger. */
  async ofGuides(guides: readonly string[]): Promise<NumberedMovement[]> {
    const found = await this.#entries
      .find({ 'movement.guide': { $in: [...guides] } })
      .readConcern(MAJORITY)
      .sort({ _id: 1 })
      .lean();
    return found.flatMap(asMovement);
  }

  /** Returns all remittances of an account, and those that take one back, the oldest first. */
  async remittances(account: string): Promise<NumberedRemittance[]> {
    const found = await this.#entries
      .find({ 'remittance.account': account })
      .readConcern(MAJORITY)
      .sort({ 'remittance.account': 1, _id: 1 })
      .lean();
    return found.flatMap(asRemittance);
  }

  /** Returns the remittances of an account that are not published to webhooks yet, as those that take one back, the oldest first. */
  async unpublished(account: string): Promise<NumberedRemittance[]> {
    const found = await this.#entries
      .find({ _id: after(account, 0), openSince: { $exists: true } })
      .readConcern(MAJORITY)
      .sort({ _id: 1 })
      .lean();
    return found.flatMap(asRemittance);
  }

  /** Returns the accounts that have such remittances, first the one that waits the longest. */
  async accountsUnpublished(): Promise<string[]> {
    const found = await unfinishedIds(this.#entries);
    return [...new Set(found.map(accountIn))];
  }

  async markPublished(ids: readonly string[]): Promise<void> {
    await this.#entries.updateMany({ _id: { $in: [...ids] } }, { $unset: { openSince: 1 } });
  }

  /** Returns the account of a remittance. */
  async accountOf(number: string): Promise<string | undefined> {
    const found = await this.#entries.findOne({ makes: number }).readConcern(MAJORITY).lean();
    return found?.remittance?.account;
  }

  /** Reads the movements in ranges of an account's ledger, up to a number of them at a time. */
  async *movements(
    account: string,
    ranges: readonly Range[],
    atATime: number,
  ): AsyncGenerator<NumberedMovement[]> {
    for (const [from, to] of ranges) {
      for (let next = from; next <= to; ) {
        const found = await this.#entries
          .find({ _id: { $gte: idOf(account, next), $lte: idOf(account, to) } })
          .readConcern(MAJORITY)
          .sort({ _id: 1 })
          .limit(atATime)
          .lean();
        const last = found.at(-1);
        if (!last) break;
        yield found.flatMap(asMovement);
        next = numberOf(last._id) + 1;
      }
    }
  }

  /** Returns the accounts that have a ledger, but those of tests, ordered by name. */
  async accounts(): Promise<string[]> {
    const accounts: string[] = [];
    for (let from = ''; ; ) {
      const [first] = await this.#entries
        .find({ _id: { $gt: from } })
        .select<{ _id: string }>({ _id: 1 })
        .sort({ _id: 1 })
        .limit(1)
        .lean();
      if (!first) return accounts;
      const account = accountIn(first._id);
      if (first._id === idOf(account, numberOf(first._id))) accounts.push(account);
      // Behind the blank of this account's entries.
      from = `${account}!`;
    }
  }
}

function accountIn(id: string): string {
  const [account = ''] = id.split(' ');
  return account;
}

/** Returns what an entry changes in what the carrier owes. */
function change(entry: NewEntry): number {
  if ('movement' in entry) return entry.movement.amount;
  const { amount, takenBack } = entry.remittance;
  return takenBack ? amount : -amount;
}

function asMovement({ _id, movement, registered }: LedgerEntry): NumberedMovement[] {
  return movement ? [{ ...movement, number: numberOf(_id), registered }] : [];
}

function asRemittance({ _id: id, remittance, registered }: LedgerEntry): NumberedRemittance[] {
  return remittance ? [{ ...remittance, id, registered }] : [];
}
