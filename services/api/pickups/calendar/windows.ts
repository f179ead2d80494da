import {
  type PickupCalendar,
  type PickupRow,
  WEEKDAYS,
  type Weekday,
} from '#shared/pickups/calendar-model.ts';
import { momentOf } from '../../platform/local-time.ts';
import { localTimeIn } from '../zones.ts';

/** Pure rules of the calendar: which windows a branch has from a moment on. Days and times are those of the branch's zone. */

/** A window of a day at a branch. Moments are in ms since 1970; nobody may ask from `closesAt` on. */
export type PickupWindow = Pick<PickupRow, 'from' | 'to' | 'capacity' | 'automatic'> & {
  branch: string;
  date: string;
  zone: string;
  closesAt: number;
  startsAt: number;
  endsAt: number;
};
type Place = { branch: string; zone: string };

const DAY_MS = 24 * 3_600_000;

/**
 * Returns the windows of a branch for which somebody may ask at a moment, the earliest first.
 *
 * @param days how many days are looked at, from the local day of the moment on.
 */
export function windowsFrom(
  calendar: PickupCalendar,
  place: Place,
  now: number,
  days: number,
): PickupWindow[] {
  const today = localTimeIn(place.zone)(new Date(now)).slice(0, 10);
  const dates = Array.from({ length: days }, (_, i) => addDays(today, i));
  return dates.flatMap((date) => windowsOn(calendar, place, date)).filter(({ closesAt }) => now < closesAt);
}

/** Returns the windows of a branch on a day, the earliest first, whether or not their time is over. */
export function windowsOn(
  { rows, closedDays }: PickupCalendar,
  { branch, zone }: Place,
  date: string,
): PickupWindow[] {
  const isClosed = closedDays.some(
    (day) => day.date === date && (day.branch === undefined || day.branch === branch),
  );
  if (isClosed) return [];
  const weekday = weekdayOf(date);
  const localTime = localTimeIn(zone);
  const moment = (day: string, time: string) => momentOf(localTime, `${day}T${time}:00`);
  return rows
    .filter((row) => row.branch === branch && row.weekday === weekday)
    .sort((one, other) => (one.from < other.from ? -1 : 1))
    .map(({ from, to, cutoff, isDayBefore, capacity, automatic }) => ({
      ...{ branch, date, from, to, zone, automatic },
      ...(capacity !== undefined && { capacity }),
      closesAt: moment(isDayBefore ? addDays(date, -1) : date, cutoff),
      startsAt: moment(date, from),
      endsAt: moment(date, to),
    }));
}

/** Returns whether a text is a date that exists, as `YYYY-MM-DD`. */
export function isDate(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const day = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}

/** A calendar day has no zone: it is counted in UTC. */
function addDays(date: string, days: number): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);
}

function weekdayOf(date: string): Weekday {
  return WEEKDAYS[new Date(`${date}T00:00:00Z`).getUTCDay()] as Weekday;
}
