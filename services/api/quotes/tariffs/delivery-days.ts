import type { Parameters, Tariff } from './tariff.ts';

/** The calendar of a tariff: dates as `YYYY-MM-DD`. */

/** When a parcel arrives that is received by the end of `received`. */
export type DeliveryDays = { from: string; to: string; received: string };

/**
 * Returns the days on which a parcel arrives that is handed over now. It is received today, or on the next working day if
 * today is none or its cutoff has passed; working days count from then on.
 *
 * @param now local date and minute of the day.
 */
export function deliveryDays(
  tariff: Pick<Tariff, 'parameters' | 'holidays'>,
  now: { date: string; minute: number },
  { minDays, maxDays }: { minDays: number; maxDays: number },
): DeliveryDays {
  const works = (date: string) => isWorkingDay(tariff, date);
  let received = now.date;
  if (now.minute >= tariff.parameters.cutoffMinute) received = addDays(received, 1);
  while (!works(received)) received = addDays(received, 1);
  const after = (start: string, days: number) => {
    let date = start;
    for (let left = days; left > 0; ) {
      date = addDays(date, 1);
      if (works(date)) left--;
    }
    return date;
  };
  const from = after(received, minDays);
  return { from, to: after(from, maxDays - minDays), received };
}

/** Adds calendar days to a date. */
export function addDays(date: string, days: number): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
}

function isWorkingDay(
  {
    parameters: { saturday },
    holidays,
  }: { parameters: Pick<Parameters, 'saturday'>; holidays: Tariff['holidays'] },
  date: string,
): boolean {
  const weekday = new Date(`${date}T00:00:00Z`).getUTCDay();
  return weekday !== 0 && (weekday !== 6 || saturday) && !holidays.has(date);
}
