/** The rules of an Idempotency-Key (docs/contract.md "Guides"). */

/** Longest key, in characters. */
export const MAX_KEY_LENGTH = 255;
/** A key has visible ASCII characters only. */
export const KEY_PATTERN = `^[\\x21-\\x7e]{1,${MAX_KEY_LENGTH}}$`;
/** Time for which a key is remembered. */
export const KEPT_HOURS = 24;
