import type { Connection, mongo } from 'mongoose';
import { COD_COLLECTIONS, type Collected } from '#shared/cod/collection-model.ts';
import { driverOf, modelOf, type StoredModel } from '#shared/stores/collection.ts';
import { DUPLICATE_KEY, writeErrorsOf } from '#shared/stores/mongo.ts';
import { NEWEST_FIRST, type PageFilter } from '../http/list-parameters.ts';

/** Numbers of test guides begin with 0. */
const LEAST_REAL_NUMBER = '1';

/** What was collected on delivery of each guide, in MongoDB. */
export class CollectionStore {
  readonly #collected: StoredModel<Collected>;

  constructor(connection: Connection) {
    this.#collected = modelOf(connection, COD_COLLECTIONS);
  }

  /** Stores what guides' events say, unless what is stored is made from as many events. */
  async store(collected: readonly Collected[]): Promise<void> {
    const writes = (upsert: boolean) =>
      collected.map(({ _id, difference, ...rest }) => ({
        updateOne: {
          filter: { _id, events: { $not: { $gt: rest.events } } },
          update: {
            $set: { ...rest, ...(difference && { difference, differs: true }) },
            ...(!difference && { $unset: { difference: 1, differs: 1 } }),
          },
          upsert,
        },
      })) as mongo.AnyBulkWriteOperation<Collected>[];
    const driver = driverOf(this.#collected);
    try {
      await driver.bulkWrite(writes(true), { ordered: false });
    } catch (error) {
      const refused = writeErrorsOf(error);
      if (refused.length === 0 || refused.some(({ code }) => code !== DUPLICATE_KEY)) throw error;
      // It has more events, or was inserted at the same moment, and may have fewer.
      await driver.bulkWrite(writes(false), { ordered: false });
    }
  }

  /** Returns up to `limit` of an account's guides, newest first. */
  page(wanted: { account: string; differs?: true } & PageFilter, limit: number): Promise<Collected[]> {
    return this.#collected.find(wanted).sort(NEWEST_FIRST).limit(limit).lean().exec();
  }

  /** Reads the numbers of all guides here, up to a number of them at a time. */
  async *numbers(atATime: number): AsyncGenerator<string[]> {
    for (let last = ''; ; ) {
      const found = await this.#collected
        .find({ _id: { $gt: last } })
        .select<{ _id: string }>({ _id: 1 })
        .sort({ _id: 1 })
        .limit(atATime)
        .lean();
      const end = found.at(-1);
      if (!end) return;
      yield found.map(({ _id }) => _id);
      last = end._id;
    }
  }

  /** Returns the accounts that have guides here, ordered by name; some may have those of tests alone. */
  async accounts(): Promise<string[]> {
    const accounts: string[] = [];
    for (let after = ''; ; ) {
      const [first] = await this.#collected
        .find({ account: { $gt: after } })
        .select<{ account: string }>({ account: 1 })
        .sort({ account: 1 })
        .limit(1)
        .lean();
      if (!first) return accounts;
      accounts.push(first.account);
      after = first.account;
    }
  }

  countDiffering(account: string): Promise<number> {
    return this.#collected.countDocuments(differingOf(account)).exec();
  }

  /** Returns the guides of an account that differ, but those of tests, the newest first. */
  differing(account: string): Promise<Collected[]> {
    return this.#collected.find(differingOf(account)).sort(NEWEST_FIRST).lean().exec();
  }
}

function differingOf(account: string) {
  return { account, differs: true as const, _id: { $gte: LEAST_REAL_NUMBER } };
}
