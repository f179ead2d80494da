import { branchCode } from '#shared/contracts/branch.ts';
import type { GuideStatus } from '#shared/contracts/event-types.ts';
import { fieldError, tidy } from '../requests/body.ts';
import { CURSOR_RULE, MOMENT_RULE } from '../requests/parameter-rules.ts';
import type { GuideList, ListedGuide, Position } from './guide-list.ts';

/** A client's parameters, by their names on the wire. */
export type ListRequest = {
  desde?: string;
  hasta?: string;
  referencia?: string;
  estatus?: GuideStatus;
  destino?: string;
  cursor?: string;
  limite?: number;
};

/** Default and largest page (docs/contract.md "Guides"). */
export const USUAL_PAGE = 50;
export const MAX_PAGE = 500;

/** A local time and the number of a guide, or of a manifest. */
const CURSOR = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)([\dM]\d{11})$/;
const MOMENT = /^\d{4}-\d\d-\d\d(T([01]\d|2[0-3]):[0-5]\d:[0-5]\d)?$/;

/**
 * Returns a page of the account's guides, newest first, and the cursor of the next one; null after the last.
 * `searchedUntil`: up to which local time the search for them came, if its time was over before the page was full.
 *
 * @throws DomainError `parameter-invalid`, with the parameter.
 */
export async function listGuides(
  list: GuideList,
  account: string,
  { desde, hasta, referencia, estatus, destino, cursor, limite = USUAL_PAGE }: ListRequest,
): Promise<{ guides: ListedGuide[]; cursor: string | null; searchedUntil?: string }> {
  const filter = {
    account,
    from: desde === undefined ? undefined : checkedMoment('desde', desde),
    until: hasta === undefined ? undefined : endOf(checkedMoment('hasta', hasta)),
    reference: referencia && tidy(referencia),
    status: estatus,
    destination: destino && branchCode(destino),
  };
  const after = cursor === undefined ? undefined : decodeCursor(cursor);
  if (cursor !== undefined && !after) {
    throw fieldError('cursor', 'parameter-invalid', { rule: CURSOR_RULE });
  }
  const { guides, next, isCut } = await list.page(filter, after, limite);
  return {
    guides,
    cursor: next ? encodeCursor(next) : null,
    ...(isCut && next && { searchedUntil: next.createdAt }),
  };
}

/** Returns a local date, or date and time, that exists. */
export function checkedMoment(campo: string, text: string): string {
  const [date = ''] = text.split('T');
  const day = new Date(`${date}T00:00:00Z`);
  const exists = MOMENT.test(text) && !Number.isNaN(day.getTime()) && day.toISOString().startsWith(date);
  if (!exists) throw fieldError(campo, 'parameter-invalid', { rule: MOMENT_RULE });
  return text;
}

/** Local times are compared as text, so a bare date ends at its hour 24. */
export function endOf(moment: string): string {
  return moment.includes('T') ? moment : `${moment}T24`;
}

/**
 * Writes a position as a cursor. It is not signed: the account comes from the token, so a forged cursor shows only
 * the caller's own guides.
 */
export function encodeCursor({ createdAt, number }: Position): string {
  return Buffer.from(createdAt + number).toString('base64url');
}

/** Returns the position of a cursor; undefined if the text is not a cursor. */
export function decodeCursor(cursor: string): Position | undefined {
  const [, createdAt, number] = CURSOR.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? [];
  if (createdAt === undefined || number === undefined) return undefined;
  const position = { createdAt, number };
  return encodeCursor(position) === cursor ? position : undefined;
}
