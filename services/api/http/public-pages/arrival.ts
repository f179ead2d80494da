/** The days on which a parcel arrives, in words for people. */

const PARTS = new Intl.DateTimeFormat('es-MX', {
  timeZone: 'UTC',
  weekday: 'long',
  day: 'numeric',
  month: 'long',
});

/**
 * Says when a parcel arrives: `Llega entre el jueves 26 y el viernes 27 de noviembre`.
 *
 * @param days the first and the last one, as `YYYY-MM-DD`.
 */
export function arrivalWords({ Desde, Hasta }: { Desde: string; Hasta: string }): string {
  const [first, last] = [partsOf(Desde), partsOf(Hasta)];
  if (Desde === Hasta) return `Llega el ${last.day} de ${last.month}`;
  const month = first.month === last.month ? '' : ` de ${first.month}`;
  return `Llega entre el ${first.day}${month} y el ${last.day} de ${last.month}`;
}

/**
 * Says on what the days depend: `si se recibe antes de las 17:00 del martes 24 de noviembre`.
 *
 * @param moment as `YYYY-MM-DDTHH:mm`, with or without more.
 */
export function conditionWords(moment: string): string {
  const { day, month } = partsOf(moment.slice(0, 10));
  return `si se recibe antes de las ${moment.slice(11, 16)} del ${day} de ${month}`;
}

/** @returns `day` as `jueves 26`. */
function partsOf(date: string): { day: string; month: string } {
  const parts = PARTS.formatToParts(new Date(`${date}T00:00:00Z`));
  const part = (name: string) => parts.find(({ type }) => type === name)?.value ?? '';
  return { day: `${part('weekday')} ${part('day')}`, month: part('month') };
}
