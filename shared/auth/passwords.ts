import { hash, verify } from '@node-rs/argon2';

/** OWASP's first choice for argon2id: 19 MiB, 2 passes, 1 lane. */
const OPTIONS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Verified in place of an unknown user's hash, so that both refusals take the same time. */
const unknownUserHash = hash('', OPTIONS);

/** @returns argon2id as a PHC string. */
export function hashPassword(password: string): Promise<string> {
  return hash(password, OPTIONS);
}

export function isWeakHash(passwordHash: string): boolean {
  const parameters = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),/.exec(passwordHash);
  const [memory = 0, passes = 0] = parameters?.slice(1).map(Number) ?? [];
  return memory < OPTIONS.memoryCost || passes < OPTIONS.timeCost;
}

/** @param passwordHash argon2id, PHC string. For undefined, an unknown user, it takes as long and returns false. */
export async function passwordMatches(passwordHash: string | undefined, password: string): Promise<boolean> {
  const matches = await verify(passwordHash ?? (await unknownUserHash), password);
  return matches && passwordHash !== undefined;
}
