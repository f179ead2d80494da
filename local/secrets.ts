import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { MONGO_USERS, type MongoUser } from '#shared/stores/collection.ts';
import { REDIS_SERVICES, type RedisService, redisAclFile, redisUrlOf } from './access/redis-acl.ts';

export type Secrets = ReturnType<typeof generateSecrets>;

export function generateSecrets() {
  return {
    jwt: secret(),
    internal: secret(),
    /** Encrypts the secrets of webhooks. To rotate the key, move it to `webhooksPrevious`. */
    webhooks: secret(),
    webhooksPrevious: '',
    redis: byName([...REDIS_SERVICES, 'operator'] as const, secret),
    /** The administrator is `mongoRoot`. */
    mongo: byName(MONGO_USERS, secret),
    mongoRoot: secret(),
    grafana: secret(),
  };
}

/** Reads the secrets in `file`, and adds those that it lacks: access tokens stay valid over a restart or an upgrade. */
export function loadSecrets(file: string): Secrets {
  const fresh = generateSecrets();
  const secrets = existsSync(file) ? merge(fresh, JSON.parse(readFileSync(file, 'utf8'))) : fresh;
  writeFileSync(`${file}.partial`, JSON.stringify(secrets), { mode: 0o600 });
  renameSync(`${file}.partial`, file);
  return secrets;
}

/** Returns the connection string of each user, and the file of users of both Redis. */
export function storeCredentials({ redis, mongo }: Secrets) {
  const redisUrl = (host: string) => (service: RedisService) =>
    redisUrlOf(`redis://${host}:6379`, service, redis[service]);
  // Without `journal`, a crash loses acknowledged writes of the last 100 ms.
  const mongoUri = (user: MongoUser) => `mongodb://${user}:${mongo[user]}@mongo:27017/guias?journal=true`;
  return {
    redisUrls: byName(REDIS_SERVICES, redisUrl('redis')),
    labelCacheUrls: byName(REDIS_SERVICES, redisUrl('label-cache')),
    mongoUris: byName(MONGO_USERS, mongoUri),
    usersAcl: redisAclFile('{guias}', redis),
  };
}

function secret(): string {
  return randomBytes(32).toString('hex');
}

export function byName<K extends string>(names: readonly K[], make: (name: K) => string): Record<K, string> {
  return Object.fromEntries(names.map((name) => [name, make(name)])) as Record<K, string>;
}

function merge<T extends object>(fresh: T, stored: Partial<T>): T {
  const kept = Object.entries(stored).map(([name, value]) => {
    const own = fresh[name as keyof T];
    return [name, typeof own === 'object' && own ? merge(own, value as object) : value];
  });
  return { ...fresh, ...Object.fromEntries(kept) };
}
