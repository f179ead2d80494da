/**
 * A function that writes moments as `YYYY-MM-DDTHH:mm:ss` in the local time of an IANA zone, without offset
 * (docs/contract.md "Guides"). Sweden's way of writing a date is ISO 8601 but for the blank.
 */
export function localTime(timeZone: string): (moment: Date) => string {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  return (moment) => format.format(moment).replace(' ', 'T');
}
