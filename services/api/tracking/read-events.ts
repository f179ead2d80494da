import type { ApiUser } from '#shared/accounts/user-store.ts';
import { inTurns } from '#shared/async/in-turns.ts';
import { type EventLog, feedEvent, type ToldEntry } from '#shared/tracking/event-log.ts';
import { annulledBy, publicFields } from '#shared/tracking/event-model.ts';
import { fieldError } from '../http/body.ts';
import { CURSOR_RULE } from '../http/parameter-rules.ts';

/** Default and largest page of the feed. */
export const USUAL_EVENTS = 100;
export const MAX_FEED = 500;

/** Returns all events of a guide, by the time at which they occurred. `Nota` is for those who register events alone. */
export async function guideEvents(log: EventLog, number: string, user: ApiUser) {
  const entries = await log.wholeOfGuide(number);
  const annulled = annulledBy(entries.map(({ told }) => told));
  const isStaff = user.permissions.includes('eventos.create');
  return inTurns(entries.toSorted(byTime), (entry) => {
    const { Id, Recibe, Nota } = entry.told;
    const receiver = Recibe !== undefined && { Recibe };
    const note = isStaff && Nota !== undefined && { Nota };
    const price = entry.adjustment && { Ajuste: entry.adjustment };
    return {
      ...publicFields(entry.told),
      ...receiver,
      ...note,
      ...price,
      Registrado: entry.registered.toISOString(),
      Anulado: annulled.has(Id),
    };
  });
}

/** Orders entries by time of occurrence, then of registration. */
export function byTime(one: ToldEntry, other: ToldEntry): number {
  if (one.told.Ocurrido !== other.told.Ocurrido) return one.told.Ocurrido < other.told.Ocurrido ? -1 : 1;
  return one._id < other._id ? -1 : 1;
}

/**
 * Returns the account's events and cancellations after a cursor, and the next cursor.
 *
 * @throws DomainError `parameter-invalid` for an invalid cursor; `cursor-beyond-end` for one after the last event,
 * for example after the log was restored: it would skip events.
 */
export async function feedPage(log: EventLog, account: string, cursor: string | undefined, limit: number) {
  const number = cursor === undefined ? 0 : decodeCursor(cursor);
  if (number === undefined) throw fieldError('cursor', 'parameter-invalid', { rule: CURSOR_RULE });
  const { entries, next } = await log.page(account, number, limit);
  if (entries.length === 0 && !(await log.has(account, number)))
    throw fieldError('cursor', 'cursor-beyond-end');
  return { events: await inTurns(entries, feedEvent), cursor: encodeCursor(next) };
}

/** `e` and a number of up to twelve digits, in base64url. */
export const FEED_CURSOR = '^ZT[A-Za-z0-9_-]{1,16}$';

/** Writes a number of the log as a cursor. It is not signed: the account comes from the token. */
export function encodeCursor(number: number): string {
  return Buffer.from(`e${number}`).toString('base64url');
}

/** Reads a cursor. @returns undefined if the text is not a cursor. */
export function decodeCursor(cursor: string): number | undefined {
  const [, digits] = /^e(0|[1-9]\d{0,11})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? [];
  return digits !== undefined && encodeCursor(Number(digits)) === cursor ? Number(digits) : undefined;
}
