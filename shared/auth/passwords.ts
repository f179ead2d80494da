import { hash, verify } from '@node-rs/argon2';

/** OWASP's first choice for argon2id: 19 MiB, 2 passes, 1 lane. */
const OPTIONS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Verified for unknown users, so that their refusal takes the same time. */
const unknownUserHash = hash('', OPTIONS);

/** Returns an argon2id hash as a PHC string. */
export function hashPassword(password: string): Promise<string> {
  return hash(password, OPTIONS);
}

export function isWeakHash(passwordHash: string): boolean {
  const parameters = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),/.exec(passwordHash);
  const [memory = 0, passes = 0] = parameters?.slice(1).map(Number) ?? [];
  return memory < OPTIONS.memoryCost || passes < OPTIONS.timeCost;
}

/** @param passwordHash from `hashPassword`; undefined for an unknown user, who takes as long and never matches. */
export async function passwordMatches(passwordHash: string | undefined, password: string): Promise<boolean> {
  const matches = await verify(passwordHash ?? (await unknownUserHash), password);
  return matches && passwordHash !== undefined;
}
