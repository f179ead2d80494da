import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { REDIS_SERVICES, type RedisPasswords, type RedisUser } from './access/redis-acl.ts';

export type Secrets = { jwt: string; internal: string; redis: RedisPasswords };

/**
 * Reads the secrets in `file`, and makes those that it does not have yet: access tokens stay valid over a restart, also
 * after an upgrade.
 */
export function loadSecrets(file: string): Secrets {
  const stored = existsSync(file) ? readFileSync(file, 'utf8') : '{}';
  const secrets: Secrets = { ...generateSecrets(), ...JSON.parse(stored) };
  writeFileSync(`${file}.partial`, JSON.stringify(secrets), { mode: 0o600 });
  renameSync(`${file}.partial`, file);
  return secrets;
}

export function generateSecrets(): Secrets {
  const redis = { operator: secret() } as Record<RedisUser, string>;
  for (const service of REDIS_SERVICES) redis[service] = secret();
  return { jwt: secret(), internal: secret(), redis };
}

/** Returns 32 random bytes in hexadecimal digits. */
export function secret(): string {
  return randomBytes(32).toString('hex');
}
