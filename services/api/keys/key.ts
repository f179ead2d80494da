import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/**
 * An API key: what it is a key to, 32 random bytes, and a checksum, so that a scanner of secrets knows one without asking
 * and a mistyped key costs no look-up. Example: `gk_live_` + 43 characters of base64url + 6 of the checksum.
 */
const FORM = /^gk_(?:live|test)_[\w-]{43}[0-9a-z]{6}$/;
const CHECKSUM_LENGTH = 6;
/** Shown in lists, so that a person knows which key it is: the kind, and the first four random characters. */
const SHOWN_LENGTH = 'gk_live_'.length + 4;

/** Longest name of a key, in characters. */
export const MAX_NAME = 60;
/** Characters that a name may not have: in a terminal they would hide or rearrange others. */
const UNPRINTABLE = /[\p{Cc}\p{Cs}\p{Bidi_Control}]/u;

/** @param test whether its account is for rehearsals. */
export function newKey(test: boolean): string {
  const body = `gk_${test ? 'test' : 'live'}_${randomBytes(32).toString('base64url')}`;
  return body + checksumOf(body);
}

export function isPrintable(name: string): boolean {
  return !UNPRINTABLE.test(name);
}

/** Returns whether a bearer token is meant to be a key, also a mistyped one. */
export function looksLikeKey(token: string): boolean {
  return token.startsWith('gk_');
}

/** Returns whether a text has the form and the checksum of a key. */
export function isKey(text: string): boolean {
  if (!FORM.test(text)) return false;
  const body = text.slice(0, -CHECKSUM_LENGTH);
  return text.slice(-CHECKSUM_LENGTH) === checksumOf(body);
}

export function startOf(key: string): string {
  return key.slice(0, SHOWN_LENGTH);
}

/** Returns what is stored of a key. It is random, so that a quick hash is enough. */
export function digestOf(key: string): string {
  return hash('sha256', key, 'base64url');
}

/** CRC-32 in base 36, filled with zeros: at most seven digits, of which the last six are kept. */
function checksumOf(body: string): string {
  return crc32(body).toString(36).padStart(CHECKSUM_LENGTH, '0').slice(-CHECKSUM_LENGTH);
}
