import { randomBytes, timingSafeEqual } from 'node:crypto';
import { hash, parseOptions, verify } from '@node-rs/argon2';

/** OWASP's first choice for argon2id: 19 MiB, 2 passes, 1 lane. */
const OPTIONS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
/** In bytes, as argon2 recommends (RFC 9106, 3.1). */
const SALT_LENGTH = 16;

/** Verified for unknown users, so that their refusal takes the same time. */
const unknownUserHash = hash('', OPTIONS);

/** Returns an argon2id hash as a PHC string. */
export function hashPassword(password: string): Promise<string> {
  return hash(password, OPTIONS);
}

/** Returns the hashes of a user's new password and of the one before, with one salt, for `matchingHash`. */
export async function hashBoth(password: string, previous: string): Promise<[string, string]> {
  const options = { ...OPTIONS, salt: randomBytes(SALT_LENGTH) };
  return [await hash(password, options), await hash(previous, options)];
}

export function isWeakHash(passwordHash: string): boolean {
  const parameters = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),/.exec(passwordHash);
  const [memory = 0, passes = 0] = parameters?.slice(1).map(Number) ?? [];
  return memory < OPTIONS.memoryCost || passes < OPTIONS.timeCost;
}

/**
 * Returns the hash of this password. A user with two hashes, which share their salt, costs one computation as any
 * other. Otherwise the time would reveal who has changed a password.
 * @param hashes of `hashPassword` or `hashBoth`; none for an unknown user, who takes as long and never matches.
 */
export async function matchingHash(hashes: readonly string[], password: string): Promise<string | undefined> {
  const [current = await unknownUserHash, previous] = hashes;
  if (previous === undefined) {
    const matches = await verify(current, password);
    return matches ? hashes[0] : undefined;
  }
  const salt = Buffer.from(current.split('$')[4] ?? '', 'base64');
  const its = Buffer.from(await hash(password, { ...parseOptions(current), salt }));
  return hashes.find((each) => isEqual(Buffer.from(each), its));
}

function isEqual(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}
