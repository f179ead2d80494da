import { UsageError } from '#shared/commands/run-command-line.ts';
import { readTimeZone } from '../commands/command-line.ts';
import { momentOf } from '../local-time.ts';

/** When a version begins: in ms since 1970, its local date, and in words. */
export type Beginning = { moment: number; date: string; text: string };

/** Returns the first second of a local day, or now. @param day `YYYY-MM-DD`. @throws UsageError for a day that has begun. */
export function beginningOf(day: string | undefined): Beginning {
  const { timeZone, localTime } = readTimeZone();
  const moment = day === undefined ? Date.now() : momentOf(localTime, `${day}T00:00:00`);
  if (moment < Date.now() - 1_000) throw new UsageError('--from debe ser un dia que no ha empezado');
  const text = localTime(new Date(moment));
  return { moment, date: text.slice(0, 10), text: `${text.replace('T', ' ')} (${timeZone})` };
}

/** Parses `--from`. */
export function parseDate(text: string): string {
  const isDate = /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(`${text}T00:00:00Z`));
  if (!isDate) throw new UsageError('La fecha debe ser como 2026-12-01');
  return text;
}
