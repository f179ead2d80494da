/**
 * Returns a function that writes a moment as `YYYY-MM-DDTHH:mm:ss`, the local time of an IANA zone without offset
 * (docs/contract.md "Guides"). The Swedish format is ISO 8601 except for the blank between date and time.
 */
export function localTimeFormatter(timeZone: string): (moment: Date) => string {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  return (moment) => format.format(moment).replace(' ', 'T');
}
