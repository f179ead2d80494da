import { hash, verify } from '@node-rs/argon2';

/** OWASP's first choice for argon2id: 19 MiB, 2 passes, 1 lane. Runs on libuv's threads, off the event loop. */
const OPTIONS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Checked in place of an unknown user's password, so that both refusals take the same time. */
const nobody = hash('', OPTIONS);

export function hashPassword(password: string): Promise<string> {
  return hash(password, OPTIONS);
}

/** @param passwordHash argon2id, PHC string; undefined for an unknown user, which costs the same and is false. */
export async function passwordMatches(passwordHash: string | undefined, password: string): Promise<boolean> {
  const matches = await verify(passwordHash ?? (await nobody), password);
  return matches && passwordHash !== undefined;
}
