import { createHash } from 'node:crypto';

/** Returns what stands for an account in Redis keys: they hold no names, and their length has a bound. */
export function accountHash(account: string): string {
  return createHash('sha256').update(account).digest('base64url');
}
