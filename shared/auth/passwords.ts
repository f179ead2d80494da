import { hash, verify } from '@node-rs/argon2';

/** OWASP's first choice for argon2id: 19 MiB, 2 passes, 1 lane. It runs on libuv's threads, off the event loop. */
const OPTIONS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Verified in place of an unknown user's hash, so that both refusals take the same time. */
const unknownUserHash = hash('', OPTIONS);

/** Returns the argon2id hash of a password as a PHC string. */
export function hashPassword(password: string): Promise<string> {
  return hash(password, OPTIONS);
}

/**
 * Returns whether the password has this hash.
 *
 * @param passwordHash argon2id, PHC string; undefined for an unknown user: that takes as long, and is false.
 */
export async function passwordMatches(passwordHash: string | undefined, password: string): Promise<boolean> {
  const matches = await verify(passwordHash ?? (await unknownUserHash), password);
  return matches && passwordHash !== undefined;
}
