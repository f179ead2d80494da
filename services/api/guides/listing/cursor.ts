/** Where a walk over guides stands, newest first: at the guide that was looked at last. */
export type Position = { createdAt: string; number: string };

const FORM = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)([1-9]\d{11})$/;

/**
 * Writes a position as a cursor. It is not signed: the account comes from the token, never from the cursor, so a forged
 * one is no more than another position in the caller's own guides (docs/decisions/0032-listing-guides.md).
 */
export function encodeCursor({ createdAt, number }: Position): string {
  return Buffer.from(createdAt + number).toString('base64url');
}

/** Returns the position of a cursor; undefined for a text that is none of ours. */
export function decodeCursor(cursor: string): Position | undefined {
  const [, createdAt, number] = FORM.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? [];
  if (createdAt === undefined || number === undefined) return undefined;
  const position = { createdAt, number };
  return encodeCursor(position) === cursor ? position : undefined;
}
