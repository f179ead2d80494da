import type { Connection } from 'mongoose';
import { LABEL_USAGE, type LabelMonth } from '#shared/billing/usage-model.ts';
import { driverOf, modelOf, type StoredModel } from '#shared/stores/collection.ts';
import { DatabaseClock } from '#shared/stores/database-clock.ts';
import { writeErrorsOf } from '#shared/stores/mongo.ts';
import { isUndone } from '#shared/stores/transient-errors.ts';
import { monthRange } from './months.ts';
import type { UsageOptions } from './usage-options.ts';

/** MongoDB's code for a write that it refused, because it is not the primary any more. */
const NOT_WRITABLE_PRIMARY = 10_107;

type Account = { account: string; test?: boolean };
type Count = { labels: number; test: boolean };

/**
 * Counts the labels that accounts get, for their usage. A request only adds to a number in memory; `write` adds the numbers
 * to MongoDB. A month and a day are those of the write by the database's clock, so that counts that waited change no closed month.
 */
export class LabelUsage {
  readonly #months: StoredModel<LabelMonth>;
  readonly #clock: DatabaseClock;
  readonly #localTime: (moment: Date) => string;
  readonly #counts = new Map<string, Count>();

  constructor(connection: Connection, localTime: (moment: Date) => string) {
    this.#months = modelOf(connection, LABEL_USAGE);
    this.#clock = new DatabaseClock(connection);
    this.#localTime = localTime;
  }

  count({ account, test = false }: Account, labels: number): void {
    const known = this.#counts.get(account);
    if (known) known.labels += labels;
    else this.#counts.set(account, { labels, test });
  }

  /**
   * Adds to MongoDB what was counted. What MongoDB has not taken waits for the next call. Counts whose write got no answer
   * are lost, because a second write of them might count them twice.
   */
  async write(): Promise<void> {
    if (this.#counts.size === 0) return;
    const today = this.#localTime(await this.#clock.now());
    const [month, day] = [today.slice(0, 7), today.slice(8, 10)];
    const taken = [...this.#counts];
    this.#counts.clear();
    const updates = taken.map(([account, { labels, test }]) => ({
      updateOne: {
        filter: { _id: `${month} ${account}` },
        update: { $inc: { labels, [`days.${day}`]: labels }, ...(test && { $setOnInsert: { test } }) },
        upsert: true,
      },
    }));
    try {
      await driverOf(this.#months).bulkWrite(updates, { ordered: false });
    } catch (error) {
      const isWaiting = unwritten(error);
      for (const [index, [account, { labels, test }]] of taken.entries())
        if (isWaiting(index)) this.count({ account, test }, labels);
      throw error;
    }
  }
}

/** Returns which updates of a failed write MongoDB has certainly not done, by their place in it. */
function unwritten(error: unknown): (index: number) => boolean {
  const refused = new Set(writeErrorsOf(error).map(({ index }) => index));
  if (refused.size > 0) return (index) => refused.has(index);
  const isNone = isUndone(error) || (error as { code?: unknown }).code === NOT_WRITABLE_PRIMARY;
  return () => isNone;
}

/** Returns what accounts got of labels in a month, test accounts or the others, or one account alone. */
export async function readLabelUsage(
  connection: Connection,
  month: string,
  { test, account }: Pick<UsageOptions, 'test' | 'account'>,
): Promise<Map<string, LabelMonth>> {
  const found = await modelOf(connection, LABEL_USAGE)
    .find({
      _id: account === undefined ? monthRange(month) : `${month} ${account}`,
      test: test || { $exists: false },
    })
    .sort({ _id: 1 })
    .lean();
  return new Map(found.map((one) => [one._id.slice(month.length + 1), one]));
}
