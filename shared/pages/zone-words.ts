/** The zones that Mexico's law names. */
const ZONES: Readonly<Record<string, string>> = {
  'America/Mexico_City': 'hora del centro de México',
  'America/Mazatlan': 'hora del Pacífico de México',
  'America/Hermosillo': 'hora del Pacífico de México',
  'America/Tijuana': 'hora del noroeste de México',
  'America/Cancun': 'hora del sureste de México',
};

/** Returns the name of a time zone, as people in Mexico say it. */
export function zoneWords(timeZone: string): string {
  const own = ZONES[timeZone];
  if (own !== undefined) return own;
  const format = new Intl.DateTimeFormat('es-MX', { timeZone, timeZoneName: 'long' });
  return format.formatToParts().find(({ type }) => type === 'timeZoneName')?.value ?? timeZone;
}
