import { UsageError } from '#shared/commands/run-command-line.ts';
import { readTimeZone } from '../../accounts/commands/command-line.ts';
import { momentOf } from '../../platform/local-time.ts';
import { DATE } from '../tariffs/cells.ts';

/** When a version begins: in ms since 1970, and its local date. */
export type Beginning = { moment: number; date: string };

/**
 * Returns the first second of a local day, or now.
 *
 * @param day `YYYY-MM-DD`.
 * @param now by the database's clock, in ms since 1970.
 * @throws UsageError for a day that has begun.
 */
export function beginningOf(day: string | undefined, now: number): Beginning {
  const { localTime } = readTimeZone();
  const moment = day === undefined ? now : momentOf(localTime, `${day}T00:00:00`);
  if (moment < now) throw new UsageError('--from debe ser un dia que no ha empezado');
  return { moment, date: localTime(new Date(moment)).slice(0, 10) };
}

/** Writes a moment in ms since 1970 as `2026-12-01 00:00:00 (America/Mexico_City)`. */
export function describeMoment(moment: number): string {
  const { timeZone, localTime } = readTimeZone();
  return `${localTime(new Date(moment)).replace('T', ' ')} (${timeZone})`;
}

/** Parses `--from`. @throws UsageError */
export function parseDate(text: string): string {
  const date = DATE.read(text);
  if (date === undefined) throw new UsageError('La fecha debe ser como 2026-12-01');
  return date;
}
