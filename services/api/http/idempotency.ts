import { createHash, hash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { inTurns } from '#shared/async/in-turns.ts';
import { DomainError } from '#shared/errors/domain-error.ts';
import { isObject } from './body.ts';

/** The header Idempotency-Key, for the routes that take it, and what a key stands for. */

/** Longest Idempotency-Key, in characters (docs/contract.md "Guides"). */
export const MAX_KEY_LENGTH = 255;
/** An Idempotency-Key has visible ASCII characters only. */
export const KEY_PATTERN = `^[\\x21-\\x7e]{1,${MAX_KEY_LENGTH}}$`;

/** Marks the repeated answer of an earlier request (draft-ietf-httpapi-idempotency-key-header). */
export const REPLAYED_HEADER = 'Idempotent-Replayed';

export const idempotencyHeader = Type.Optional(
  Type.String({
    pattern: KEY_PATTERN,
    description:
      'Nombre de esta solicitud, del cliente. Repetida con el mismo contenido dentro de siete días da la misma respuesta y no crea nada.',
  }),
);

const VALID_KEY = new RegExp(KEY_PATTERN);

/** Returns the key of a request, if it has one. @throws DomainError `idempotency-key-invalid` */
export function idempotencyKeyOf({ headers }: FastifyRequest): string | undefined {
  const key = headers['idempotency-key'] as string | undefined;
  if (key !== undefined && !VALID_KEY.test(key)) throw new DomainError('idempotency-key-invalid');
  return key;
}

/** What a client's Idempotency-Key stands for. */
export type IdempotencyKey = {
  id: string;
  bodyHash: string;
  /** Of the body without what a repeated request may have anew; absent if the body has nothing of that kind. */
  lastingHash?: string;
};

/**
 * Returns a user's key for a request to a route: its id over all users and routes, and the hash of the canonical body, which
 * the order of fields and white space do not change.
 *
 * @param route a word that no other route has.
 * @param lasting the body without what a repeated request may have anew, if that differs.
 */
export async function idempotencyKey(
  route: string,
  username: string,
  key: string,
  body: unknown,
  lasting?: unknown,
): Promise<IdempotencyKey> {
  const id = hash('sha256', JSON.stringify([route, username, key]), 'base64url');
  const bodyHash = await hashOf(body);
  return { id, bodyHash, ...(lasting !== undefined && { lastingHash: await hashOf(lasting) }) };
}

/** Returns the hash of a body, which it writes in turns. */
async function hashOf(body: unknown): Promise<string> {
  const sha256 = createHash('sha256');
  await inTurns(canonicalParts(body), (part) => {
    sha256.update(part);
  });
  return sha256.digest('base64url');
}

/** Writes the elements of arrays one by one, as far as they stand in no object. */
function* canonicalParts(value: unknown): Generator<string> {
  if (!Array.isArray(value)) return yield canonicalJson(value);
  yield '[';
  for (const [i, element] of value.entries()) {
    if (i > 0) yield ',';
    yield* canonicalParts(element);
  }
  yield ']';
}

/** Writes JSON in which the order of an object's fields does not matter (RFC 8785, 3.2.3). */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, field: unknown) => (isObject(field) ? sorted(field) : field));
}

function sorted(object: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** @throws DomainError `idempotency-key-reused` if what was stored with a key is of another body. */
export function requireSameBody(
  stored: { bodyHash?: string | undefined | null; lastingHash?: string | undefined | null },
  { bodyHash, lastingHash = bodyHash }: IdempotencyKey,
): void {
  if (stored.bodyHash === bodyHash) return;
  // A body that had nothing to leave out was stored with one hash, and so was every body before 1.11.0.
  if ((stored.lastingHash ?? stored.bodyHash) !== lastingHash)
    throw new DomainError('idempotency-key-reused');
}
