import { fieldError } from './body.ts';
import { CURSOR_RULE, MOMENT_PATTERN, MOMENT_RULE } from './parameter-rules.ts';

/** What lists have in common: their period, their order, and the cursor of a page. */

/** A client's parameters, by their names on the wire. */
export type ListParameters = { desde?: string; hasta?: string; cursor?: string; limite?: number };
/** Local times, of which a prefix will do: inclusive, and exclusive. Absent ones do not restrict. */
export type Period = { from?: string | undefined; until?: string | undefined };
/** Where a page ends, newest first: the local time and the number of what stands last: a guide's, or a letter and eleven digits. */
export type Position = { createdAt: string; _id: string };

/** Default and largest page. */
export const USUAL_PAGE = 50;
export const MAX_PAGE = 500;

/** A position in base64url (`encodeCursor`). */
export const CURSOR_PATTERN = '^[A-Za-z0-9_-]{42}$';
const CURSOR = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)([\dA-Z]\d{11})$/;
const MOMENT = new RegExp(MOMENT_PATTERN);

/** Returns the period of a list. @throws DomainError `parameter-invalid`, with the parameter. */
export function periodOf({ desde, hasta }: ListParameters): Period {
  return {
    from: desde === undefined ? undefined : checkedMoment('desde', desde),
    until: hasta === undefined ? undefined : endOf(checkedMoment('hasta', hasta)),
  };
}

/** Returns a local date, or date and time, that exists. */
function checkedMoment(campo: string, text: string): string {
  const [date = ''] = text.split('T');
  const day = new Date(`${date}T00:00:00Z`);
  const exists = MOMENT.test(text) && !Number.isNaN(day.getTime()) && day.toISOString().startsWith(date);
  if (!exists) throw fieldError(campo, 'parameter-invalid', { rule: MOMENT_RULE });
  return text;
}

/** Local times are compared as text, so a bare date ends at its hour 24. */
function endOf(moment: string): string {
  return moment.includes('T') ? moment : `${moment}T24`;
}

/**
 * Writes a position as a cursor. It is not signed: the account comes from the token, so a forged cursor shows only
 * what is the caller's own.
 */
export function encodeCursor({ createdAt, _id }: Position): string {
  return Buffer.from(createdAt + _id).toString('base64url');
}

/** Returns the position of a cursor, if there is one. @throws DomainError `parameter-invalid` for another text. */
export function positionOf({ cursor }: ListParameters): Position | undefined {
  if (cursor === undefined) return undefined;
  const [, createdAt, _id] = CURSOR.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? [];
  const position = createdAt !== undefined && _id !== undefined && { createdAt, _id };
  if (position && encodeCursor(position) === cursor) return position;
  throw fieldError('cursor', 'parameter-invalid', { rule: CURSOR_RULE });
}

/** The order of lists in a store. */
export const NEWEST_FIRST = { createdAt: -1, _id: -1 } as const;

/** Selects what a list has within a period, behind a position. */
export type PageFilter = {
  createdAt: { $gte: string; $lt: string };
  $or?: [{ createdAt: { $lt: string } }, { createdAt: string; _id: { $lt: string } }];
};

/**
 * Reads a page of a list, newest first, and the cursor of the next one; null after the last.
 *
 * @param find returns up to `limit` of what a filter selects, `NEWEST_FIRST`.
 * @throws DomainError `parameter-invalid`, with the parameter.
 */
export async function readPage<T extends Position>(
  parameters: ListParameters,
  find: (within: PageFilter, limit: number) => Promise<T[]>,
): Promise<{ page: T[]; cursor: string | null }> {
  const { limite: limit = USUAL_PAGE } = parameters;
  const found = await find(pageFilter(periodOf(parameters), positionOf(parameters)), limit + 1);
  const page = found.slice(0, limit);
  const last = page.at(-1);
  return { page, cursor: last && found.length > limit ? encodeCursor(last) : null };
}

function pageFilter({ from = '', until = '~' }: Period, after: Position | undefined): PageFilter {
  const createdAt = { $gte: from, $lt: until };
  if (!after) return { createdAt };
  const { createdAt: time, _id: number } = after;
  return { createdAt, $or: [{ createdAt: { $lt: time } }, { createdAt: time, _id: { $lt: number } }] };
}
