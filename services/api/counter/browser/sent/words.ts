/** Moments and words of the API as people read them. */

/** The carrier's, in which guides have their dates; other ones would not fit beside them. */
export const TIME_ZONE = document.getElementById('mostrador')?.dataset.zona ?? 'UTC';

const DATE = { day: 'numeric', month: 'short', year: 'numeric' } as const;
/** Of what is near. */
const WEEKDAY = { weekday: 'short', day: 'numeric', month: 'short' } as const;
const HOUR = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
const format = (options: Intl.DateTimeFormatOptions, timeZone = 'UTC') =>
  new Intl.DateTimeFormat('es-MX', { ...options, timeZone });
const DAY = format(WEEKDAY);
const MOMENT = format({ ...DATE, ...HOUR }, TIME_ZONE);
const LOCAL_TIME = format({ ...DATE, ...HOUR });
const DEADLINE = format({ ...WEEKDAY, ...HOUR });
const ISO_DATE = new Intl.DateTimeFormat('sv', { dateStyle: 'short', timeZone: TIME_ZONE });

/** Writes a moment of the API by the carrier's clock, as which local times, without a zone, are written already. */
export function momentWords(text: string): string {
  return /T.*(Z|[+-]\d\d:\d\d)$/.test(text)
    ? MOMENT.format(new Date(text))
    : LOCAL_TIME.format(new Date(`${text.slice(0, 19)}Z`));
}

/** Writes until when something can be done, by the clock of the moment's own zone, such as that of a branch. */
export function deadlineWords(text: string): string {
  return DEADLINE.format(new Date(`${text.slice(0, 19)}Z`));
}

/** Writes a day, `2026-11-05`. */
export function dayWords(date: string): string {
  return DAY.format(new Date(date));
}

/** Writes how many, with the noun in the plural unless it is one. */
export function countWords(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** Returns the date of a moment by the carrier's clock, as the API takes dates. */
export function dateOf(moment: Date): string {
  return ISO_DATE.format(moment);
}
