import { hash, verify } from '@node-rs/argon2';

/** OWASP's first choice for argon2id: 19 MiB, 2 passes, 1 lane. It runs on libuv's threads, off the event loop. */
const OPTIONS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Verified in place of an unknown user's hash, so that both refusals take the same time. */
const unknownUserHash = hash('', OPTIONS);

/** Returns the argon2id hash of a password as a PHC string. */
export function hashPassword(password: string): Promise<string> {
  return hash(password, OPTIONS);
}

/** Tells whether a hash is weaker than those that are made today, so that it is worth replacing. */
export function isWeakHash(passwordHash: string): boolean {
  const parameters = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),/.exec(passwordHash);
  const [memory = 0, passes = 0] = parameters?.slice(1).map(Number) ?? [];
  return memory < OPTIONS.memoryCost || passes < OPTIONS.timeCost;
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
