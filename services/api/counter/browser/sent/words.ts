/** Moments, money and words of the API as people read them. */

const DAY = new Intl.DateTimeFormat('es-MX', { day: 'numeric', month: 'short', year: 'numeric' });
const MOMENT = new Intl.DateTimeFormat('es-MX', {
  ...{ day: 'numeric', month: 'short', year: 'numeric' },
  ...{ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
});
const PESOS = new Intl.NumberFormat('es-MX', { style: 'currency', currency: 'MXN' });

/** Writes a moment of the API: UTC in the browser's zone, and local times, which have no zone, as they are. */
export function momentWords(text: string): string {
  return MOMENT.format(new Date(text));
}

/** Writes a moment that has its own zone, such as that of a branch, by the clock there. */
export function thereWords(text: string): string {
  return momentWords(text.slice(0, 19));
}

/** Writes a day, `2026-11-05`. */
export function dayWords(date: string): string {
  return DAY.format(new Date(`${date}T12:00:00`));
}

/** Writes how many, with the noun in the plural unless it is one. */
export function countWords(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

export function pesosWords(amount: number): string {
  return PESOS.format(amount);
}

/** Returns the date of a moment in the browser's zone, as the API takes dates. */
export function dateOf(moment: Date): string {
  const local = new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 10);
}
