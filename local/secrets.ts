import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { REDIS_SERVICES, type RedisPasswords } from './access/redis-acl.ts';

export type Secrets = { jwt: string; internal: string; redis: RedisPasswords };

/**
 * Reads the secrets in `file`, and makes those that it does not have yet: access tokens stay valid over a restart, also
 * after an upgrade.
 */
export function loadSecrets(file: string): Secrets {
  return keepSecrets(file, generateSecrets());
}

export function generateSecrets(): Secrets {
  return { jwt: secret(), internal: secret(), redis: secretFor([...REDIS_SERVICES, 'operator']) };
}

/** Returns the secrets in `file`, and the fresh ones where it has none, which it has from then on. */
export function keepSecrets<T extends object>(file: string, fresh: T): T {
  const secrets = existsSync(file) ? merge(fresh, JSON.parse(readFileSync(file, 'utf8'))) : fresh;
  writeFileSync(`${file}.partial`, JSON.stringify(secrets), { mode: 0o600 });
  renameSync(`${file}.partial`, file);
  return secrets;
}

/** Returns 32 random bytes in hexadecimal digits. */
export function secret(): string {
  return randomBytes(32).toString('hex');
}

/** Returns a secret for each name. */
export function secretFor<K extends string>(names: readonly K[]): Record<K, string> {
  return Object.fromEntries(names.map((name) => [name, secret()])) as Record<K, string>;
}

function merge<T extends object>(fresh: T, stored: Partial<T>): T {
  const kept = Object.entries(stored).map(([name, value]) => {
    const own = fresh[name as keyof T];
    return [name, typeof own === 'object' && own ? merge(own, value as object) : value];
  });
  return { ...fresh, ...Object.fromEntries(kept) };
}
