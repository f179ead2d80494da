/** What an Idempotency-Key may be, and how long it is remembered (docs/contract.md "Guides"). */

/** In characters. */
export const MAX_KEY_LENGTH = 255;
/** Visible ASCII characters. */
export const KEY_PATTERN = `^[\\x21-\\x7e]{1,${MAX_KEY_LENGTH}}$`;
export const KEPT_HOURS = 24;
