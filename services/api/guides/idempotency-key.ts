import { digest } from '#shared/digest.ts';
import { isObject } from './request/guide-forms.ts';

/** The rules of an Idempotency-Key (docs/contract.md "Guides"). */

/** Longest key, in characters. */
export const MAX_KEY_LENGTH = 255;
/** A key has visible ASCII characters only. */
export const KEY_PATTERN = `^[\\x21-\\x7e]{1,${MAX_KEY_LENGTH}}$`;

/**
 * Returns the id under which a user's key is stored. A key is of one route: this one of creation, so that release 1.1 and
 * this one find each other's keys while one replaces the other. Another route that takes keys adds its name.
 */
export function keyId(username: string, key: string): string {
  return digest(JSON.stringify([username, key]));
}

/** A body's hash by its canonical form, and as release 1.1 made it, whose keys have no other. */
export type BodyHashes = { canonicalHash: string; bodyHash: string };

export function hashBody(body: unknown): BodyHashes {
  return { canonicalHash: digest(canonicalJson(body)), bodyHash: digest(JSON.stringify(body)) };
}

/** Writes JSON in which the order of an object's fields does not matter (as RFC 8785 has it, "Sorting of Object Properties"). */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, field: unknown) => (isObject(field) ? sorted(field) : field));
}

function sorted(object: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).sort(([one], [other]) => (one < other ? -1 : 1)));
}
