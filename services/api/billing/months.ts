import { momentOf } from '../platform/local-time.ts';

/** A month of a time zone, as `2026-11`: its first moment, and that of the next month. */
export type Month = { name: string; next: string; from: Date; to: Date };

/** Time after its end at which a month is closed, in ms: longer than requests, retries and sweeps take, and clocks differ. */
const CLOSES_AFTER_MS = 3_600_000;

/** @param localTime writes a moment as SEND_FECHA shows it. */
export function monthOf(name: string, localTime: (moment: Date) => string): Month {
  const [year = 0, number = 0] = name.split('-').map(Number);
  const next = new Date(Date.UTC(year, number)).toISOString().slice(0, 7);
  const begin = (month: string) => new Date(momentOf(localTime, `${month}-01T00:00:00`));
  return { name, next, from: begin(name), to: begin(next) };
}

/** Returns the moment from which on nothing can be added to a month any more. */
export function closesAt({ to }: Month): Date {
  return new Date(to.getTime() + CLOSES_AFTER_MS);
}

/** Selects the documents of a month whose `_id` is the month, a blank, and an account. */
export function monthRange(month: string): { $gte: string; $lt: string } {
  return { $gte: `${month} `, $lt: `${month}!` };
}
