import { type Connection, mongo } from 'mongoose';
import { repeat } from '#shared/async/repeat.ts';
import { DomainError } from '#shared/errors/domain-error.ts';
import { FailureLog } from '#shared/observability/failure-log.ts';
import type { Logger } from '#shared/observability/logger.ts';
import { type Collection, createIndex, type Index, indexName } from '#shared/stores/collection.ts';
import type { MissingIndex } from '#shared/stores/heartbeat.ts';
import { isDuplicateKey } from '#shared/stores/mongo.ts';
import { isTransientError } from '#shared/stores/transient-errors.ts';

/** Age of a check that found all indexes, in ms, from which on they are checked again. */
const FRESH_MS = 60_000;
/** Pause between two looks at that age, and after a check that failed, in ms. */
const PAUSE_MS = 2_000;
/** So long an index counts as there while MongoDB does not answer the checks, in ms. */
const KNOWN_MS = 300_000;
/** Longest search for documents that stand in the way of an index, in ms. */
const SEARCH_MS = 10_000;
/** What DocumentDB says of a unique index for which there are duplicates. MongoDB says it with `DUPLICATE_KEY`. */
const NOT_UNIQUE = /^could not create (exclusion constraint|unique index) /;

type KeptIndex = {
  collection: Collection;
  index: Index;
  /** When a check found or built it last, of `performance.now()`, unless MongoDB has answered since that it is missing. */
  foundAt: number;
  /** Set if MongoDB answered that it has none, and builds none. */
  missing?: MissingIndex | undefined;
  log: FailureLog;
};

/**
 * Creates the indexes of collections, and checks every minute that MongoDB still has them. A restore may leave them out, and a
 * hand may drop them. Without a unique one something is done twice, and without one that expires nothing is deleted.
 *
 * A missing index is built again, unless documents with the same value stand in the way. Then the process serves, and
 * refuses only what relies on that index: all processes would refuse it.
 */
export class IndexKeeper {
  readonly #connection: Connection;
  readonly #log: Pick<Logger, 'info' | 'warn'>;
  readonly #kept: KeptIndex[] = [];
  #checkedAt = Number.NEGATIVE_INFINITY;

  constructor(connection: Connection, log: Pick<Logger, 'info' | 'warn'>) {
    this.#connection = connection;
    this.#log = log;
  }

  /** Keeps the indexes of more collections. */
  add(...collections: readonly Collection[]): void {
    for (const collection of collections) this.#addIndexes(collection);
  }

  #addIndexes(collection: Collection): void {
    for (const index of collection.indexes ?? []) {
      const log = new FailureLog(this.#log, {
        failed: ({ message }) => `MongoDB does not build the ${nameOf({ collection, index })}: ${message}`,
        recovered: `MongoDB has built the ${nameOf({ collection, index })}`,
      });
      this.#kept.push({ collection, index, foundAt: Number.NEGATIVE_INFINITY, log });
    }
  }

  /** Checks all indexes again once a check is a minute old, or has failed. @returns a function that ends that. */
  keepChecking(): () => Promise<void> {
    const log = new FailureLog(this.#log, {
      failed: ({ message }) => `MongoDB's indexes are not known to be there: ${message}`,
      recovered: "MongoDB's indexes are known to be there",
    });
    const checkOld = async () => {
      if (performance.now() - this.#checkedAt >= FRESH_MS) await this.check();
    };
    return repeat(checkOld, { pauseMs: PAUSE_MS, log });
  }

  /**
   * Creates the indexes that are missing.
   * @throws Error that names the first index of which nobody knows that it is there, unless only duplicates stand in its way.
   */
  async check(): Promise<void> {
    const isFirst = this.#checkedAt === Number.NEGATIVE_INFINITY;
    this.#checkedAt = performance.now() - FRESH_MS;
    let failure: Error | undefined;
    for (const kept of this.#kept) {
      try {
        const wasMissing = await this.#create(kept);
        if (wasMissing && !isFirst) this.#log.warn(`The ${nameOf(kept)} was missing, and is built again`);
      } catch (cause) {
        const { message } = cause as Error;
        failure ??= new Error(`the ${nameOf(kept)}: ${message}`, { cause });
        // The others could not be asked either.
        if (isTransientError(cause)) break;
      }
    }
    if (failure) throw failure;
    this.#checkedAt = performance.now();
  }

  /** @throws DomainError `unavailable` if a unique index of the collection is missing, or not known to be there. */
  requireUnique({ name }: Collection): void {
    const missing = this.#kept.find(
      ({ collection, index, foundAt }) =>
        collection.name === name && isUnique(index) && performance.now() - foundAt >= KNOWN_MS,
    );
    if (!missing) return;
    throw new DomainError('unavailable', { cause: new Error(`The ${nameOf(missing)} is missing`) });
  }

  /** Returns the indexes that MongoDB does not have, and does not build. */
  missing(): MissingIndex[] {
    return this.#kept.flatMap(({ missing }) => missing ?? []);
  }

  /** @returns whether it was missing. @throws unless it is there, or only duplicates stand in its way. */
  async #create(kept: KeptIndex): Promise<boolean> {
    const { collection, index, log } = kept;
    const known: MissingIndex = {
      collection: collection.name,
      index: indexName(index),
      isUnique: isUnique(index),
    };
    try {
      const wasMissing = await createIndex(this.#connection, collection, index);
      kept.foundAt = performance.now();
      kept.missing = undefined;
      log.succeeded();
      return wasMissing;
    } catch (error) {
      // A transient error says nothing of the index. DocumentDB's error for duplicates only looks like one.
      if (isTransientError(error) && !isNotUnique(error)) throw error;
      kept.foundAt = Number.NEGATIVE_INFINITY;
      if (!isNotUnique(error)) {
        kept.missing = known;
        throw error;
      }
      const duplicates = await this.#firstDuplicates(kept).catch(() => undefined);
      kept.missing = { ...known, ...(duplicates && { duplicates }) };
      // MongoDB's own message has the value, such as a guide's number, which is in no log.
      log.failed(new Error(`${duplicates?.join(' and ') ?? 'two documents'} have the same value`));
      return false;
    }
  }

  /** Returns the `_id` of two documents that have the same value in the field of a unique index: the smallest such value. */
  async #firstDuplicates({ collection, index }: KeptIndex): Promise<string[] | undefined> {
    const [field] = Object.keys(index[0]);
    const [found] = await this.#connection
      .collection(collection.name)
      .aggregate<{ first: string; last: string }>(
        [
          { $match: { [`${field}`]: { $exists: true } } },
          { $project: { value: `$${field}` } },
          { $unwind: '$value' },
          { $group: { _id: '$value', first: { $min: '$_id' }, last: { $max: '$_id' } } },
          { $match: { $expr: { $ne: ['$first', '$last'] } } },
          { $sort: { _id: 1 } },
          { $limit: 1 },
        ],
        { allowDiskUse: true, maxTimeMS: SEARCH_MS },
      )
      .toArray();
    return found && [found.first, found.last];
  }
}

function isUnique([, options]: Index): boolean {
  return options?.unique === true;
}

function isNotUnique(error: unknown): boolean {
  return isDuplicateKey(error) || (error instanceof mongo.MongoServerError && NOT_UNIQUE.test(error.message));
}

/** `unique index digest_1 of keys` */
function nameOf({ collection, index }: Pick<KeptIndex, 'collection' | 'index'>): string {
  return `${isUnique(index) ? 'unique ' : ''}index ${indexName(index)} of ${collection.name}`;
}
