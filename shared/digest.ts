import { createHash } from 'node:crypto';

/** Returns the SHA-256 of a text in base64url: what stands for a name in a key of Redis, which holds no names. */
export function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
