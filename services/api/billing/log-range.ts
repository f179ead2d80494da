import type { Connection } from 'mongoose';
import { GUIDES } from '#shared/guides/guide-model.ts';
import { modelOf } from '#shared/stores/collection.ts';
import { idOf, lastNumber, MAJORITY, numberOf } from '#shared/stores/numbered-log.ts';
import { EVENTS } from '#shared/tracking/event-model.ts';
import type { Period } from './months.ts';

/** By how much times in a log may go back, in ms: processes measure the database's clock, and a failover changes it. */
const CLOCKS_DIFFER_MS = 3_600_000;

/** The `_id`s of the entries between which a period lies in an account's log. */
export type LogRange = { $gte: string; $lt: string };

/**
 * Returns where the entries of a period are that may count for an account: within its own log. Undefined if they may be in
 * any log, because guides of the account were moved to another.
 */
export async function rangeInLog(
  mongo: Connection,
  account: string,
  { from, to }: Pick<Period, 'from' | 'to'>,
): Promise<LogRange | undefined> {
  if (await modelOf(mongo, GUIDES).exists({ createdFor: account })) return undefined;
  const end = (await lastNumber(modelOf(mongo, EVENTS), account)) + 1;
  const first = await firstSince(mongo, account, from.getTime() - CLOCKS_DIFFER_MS, { first: 1, end });
  const last = await firstSince(mongo, account, to.getTime() + CLOCKS_DIFFER_MS, { first, end });
  return { $gte: idOf(account, first), $lt: idOf(account, last) };
}

/** Returns the number of the first entry that was registered at a moment or later, by bisection. Numbers may be missing. */
async function firstSince(
  mongo: Connection,
  account: string,
  moment: number,
  { first, end }: { first: number; end: number },
): Promise<number> {
  while (first < end) {
    const middle = Math.floor((first + end) / 2);
    const entry = await modelOf(mongo, EVENTS)
      .findOne({ _id: { $gte: idOf(account, middle), $lt: idOf(account, end) } })
      .readConcern(MAJORITY)
      .select<{ _id: string; registered: Date }>({ registered: 1 })
      .sort({ _id: 1 })
      .lean();
    if (entry && entry.registered.getTime() < moment) first = numberOf(entry._id) + 1;
    else end = middle;
  }
  return first;
}
