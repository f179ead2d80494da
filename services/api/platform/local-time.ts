/**
 * Returns a function that writes a moment as `YYYY-MM-DDTHH:mm:ss` in an IANA zone, without offset (docs/contract.md
 * "Guides"). Swedish dates are ISO 8601 except for a blank between date and time.
 *
 * The last second's text is cached: a load asks for it thousands of times.
 */
export function localTimeFormatter(timeZone: string): (moment: Date) => string {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  let last = { second: Number.NaN, text: '' };
  return (moment) => {
    const second = Math.floor(moment.getTime() / 1_000);
    if (second !== last.second) last = { second, text: format.format(moment).replace(' ', 'T') };
    return last.text;
  };
}

/** The longest local day, in seconds: some clocks go back by an hour, none by more than two. */
const LONGEST_DAY_S = 26 * 3_600;

/** A day of a time zone. `endsAt`: when the next one begins, in ms since 1970. */
export type LocalDay = { date: string; endsAt: number };

/**
 * Returns a function that returns the local day of a moment in ms since 1970. It finds the end by bisection: days
 * last 23 to 25 hours, and some zones skip midnight.
 */
export function localDays(localTime: (moment: Date) => string): (now: number) => LocalDay {
  const dateAt = (ms: number) => localTime(new Date(ms)).slice(0, 10);
  let today: LocalDay & { from: number } = { date: '', from: 0, endsAt: 0 };
  return (now) => {
    if (now >= today.from && now < today.endsAt) return today;
    const date = dateAt(now);
    const second = Math.floor(now / 1_000);
    let [inside, after] = [0, LONGEST_DAY_S];
    while (after - inside > 1) {
      const middle = Math.floor((inside + after) / 2);
      if (dateAt((second + middle) * 1_000) === date) inside = middle;
      else after = middle;
    }
    today = { date, from: now, endsAt: (second + after) * 1_000 };
    return today;
  };
}

/**
 * Returns when a second of a day begins in a zone, in ms since 1970: the moment at which a function of `localTimeFormatter`
 * writes it. If clocks change just then, it may be off by that hour.
 *
 * @param text as `YYYY-MM-DDTHH:mm:ss`.
 */
export function momentOf(localTime: (moment: Date) => string, text: string): number {
  const wanted = Date.parse(`${text}Z`);
  let moment = wanted;
  // The offset at the first guess may be another than at the moment itself.
  for (let guess = 0; guess < 2; guess++) moment += wanted - Date.parse(`${localTime(new Date(moment))}Z`);
  return moment;
}

/** Writes a moment, in ms since 1970, with the offset of its zone, as `2026-12-01T23:59:59-06:00` (RFC 3339). */
export function zonedTime(localTime: (moment: Date) => string, moment: number): string {
  const text = localTime(new Date(moment));
  const minutes = Math.round((Date.parse(`${text}Z`) - moment) / 60_000);
  const two = (number: number) => `${Math.trunc(number)}`.padStart(2, '0');
  const [hours, rest] = [Math.abs(minutes) / 60, Math.abs(minutes) % 60];
  return `${text}${minutes < 0 ? '-' : '+'}${two(hours)}:${two(rest)}`;
}
