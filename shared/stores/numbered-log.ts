import { setTimeout as delay } from 'node:timers/promises';
import type { mongo, QueryFilter } from 'mongoose';
import { driverOf, type StoredModel } from './collection.ts';
import { isDuplicateKey } from './mongo.ts';

/**
 * Logs in MongoDB whose entries have the numbers from 1 on. An entry's `_id` is its log and number, so only one process can
 * insert the next one: an append is a compare-and-set on the last number, and readers by number skip nothing.
 */

const DIGITS = 12;
export const MAX_NUMBER = 10 ** DIGITS - 1;
/** Pause before an overtaken append is tried again, in ms at most. */
const PAUSE_MS = 20;
/** A failover takes back nothing that a majority of the servers has. */
export const MAJORITY = 'majority';

export function idOf(log: string, number: number): string {
  return `${log} ${String(number).padStart(DIGITS, '0')}`;
}

/** Returns the number that an entry has in its log. */
export function numberOf(_id: string): number {
  return Number(_id.slice(-DIGITS));
}

/** Returns the log that an entry is in. */
export function logIn(_id: string): string {
  return _id.slice(0, -DIGITS - 1);
}

/** Selects the `_id`s of a log's entries after a number. */
export function after(log: string, number: number) {
  return { $gt: idOf(log, number), $lte: idOf(log, MAX_NUMBER) };
}

/** Returns the number of a log's last entry, 0 without one. @param conditions that the entry has to meet. */
export async function lastNumber<T extends { _id: string }>(
  entries: StoredModel<T>,
  log: string,
  conditions: QueryFilter<T> = {},
): Promise<number> {
  const [last] = await entries
    .find({ ...conditions, _id: after(log, 0) })
    .readConcern(MAJORITY)
    .select<{ _id: string }>({ _id: 1 })
    .sort({ _id: -1 })
    .limit(1)
    .lean();
  return last ? numberOf(last._id) : 0;
}

/**
 * Inserts the next entries of a log, in their order.
 * @returns false if a unique value of one is taken, such as its number. Entries before it may be stored.
 */
export async function insertNext<T extends { _id: string }>(
  entries: StoredModel<T>,
  documents: readonly T[],
): Promise<boolean> {
  try {
    await driverOf(entries).insertMany(documents as mongo.OptionalUnlessRequiredId<T>[], { ordered: true });
    return true;
  } catch (error) {
    if (isDuplicateKey(error)) return false;
    throw error;
  }
}

/** Waits a moment before a write that another process has overtaken is tried again. */
export async function pauseOvertaken(): Promise<void> {
  await delay(Math.random() * PAUSE_MS);
}
