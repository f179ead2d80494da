import { momentOf } from '../platform/local-time.ts';

export type LocalTime = (moment: Date) => string;
/** A month of a time zone, as `2026-11`, or a day, as `2026-11-05`: its first moment, and that of the next one. */
export type Period = { name: string; next: string; from: Date; to: Date };

/** Time after its end at which a period is closed, in ms: longer than requests, retries and sweeps take, and clocks differ. */
const CLOSES_AFTER_MS = 3_600_000;

/** @param localTime writes a moment as SEND_FECHA shows it. */
export function monthOf(name: string, localTime: LocalTime): Period {
  const [year = 0, number = 0] = name.split('-').map(Number);
  return periodOf(name, dateAt(year, number, 1).slice(0, 7), localTime);
}

/** Returns the days of a month. */
export function daysOf({ name }: Period, localTime: LocalTime): Period[] {
  const [year = 0, number = 0] = name.split('-').map(Number);
  const length = new Date(Date.UTC(year, number, 0)).getUTCDate();
  return Array.from({ length }, (_, i) =>
    periodOf(dateAt(year, number - 1, i + 1), dateAt(year, number - 1, i + 2), localTime),
  );
}

/** @param month counts from 0. A day that the month lacks is one of the next month. */
function dateAt(year: number, month: number, day: number): string {
  return new Date(Date.UTC(year, month, day)).toISOString().slice(0, 10);
}

function periodOf(name: string, next: string, localTime: LocalTime): Period {
  const begin = (text: string) => new Date(momentOf(localTime, `${text.padEnd(10, '-01')}T00:00:00`));
  return { name, next, from: begin(name), to: begin(next) };
}

/** Returns the moment from which on nothing can be added to a period any more. */
export function closesAt({ to }: Period): Date {
  return new Date(to.getTime() + CLOSES_AFTER_MS);
}

/** Selects the documents of a month whose `_id` is the month, a blank, and an account. */
export function monthRange(month: string): { $gte: string; $lt: string } {
  return { $gte: `${month} `, $lt: `${month}!` };
}
