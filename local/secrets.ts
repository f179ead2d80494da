import { randomBytes } from 'node:crypto';
import { renameSync, writeFileSync } from 'node:fs';
import type { CanarySecrets } from '#services/api/canary/ensure-account.ts';
import { newKey } from '#services/api/keys/key.ts';
import { MONGO_USERS, type MongoUser } from '#shared/stores/collection.ts';
import { REDIS_SERVICES, type RedisService } from '#shared/stores/redis-families.ts';
import {
  FIRST_GENERATION,
  type MongoGeneration,
  mongoUserName,
  nextGeneration,
} from './access/mongo-names.ts';
import { type RedisPasswords, redisAclFile, redisUrlOf } from './access/redis-acl.ts';
import { readJson } from './read-json.ts';

export type Secrets = ReturnType<typeof generateSecrets> & {
  /** Passwords that the stores still take, while a rotation is under way. */
  previous?: { redis: RedisPasswords; mongoRoot: string };
};

/** Keys that are rotated one by one. */
type Key = 'jwt' | 'internal' | 'webhooks';

export function generateSecrets() {
  return {
    jwt: randomSecret(),
    jwtPrevious: '',
    /** Services call each other with it. */
    internal: randomSecret(),
    internalPrevious: '',
    /** Encrypts the secrets of webhooks. */
    webhooks: randomSecret(),
    webhooksPrevious: '',
    /** User and password for the operator's own proxy of webhooks. */
    webhooksProxyLogin: '',
    evidenceBucket: '',
    /** Hashes addresses to which nothing may be sent: it is never rotated. */
    notices: randomSecret(),
    smtpUrl: '',
    redis: byName([...REDIS_SERVICES, 'operator'] as const, randomSecret),
    /** The administrator is `mongoRoot`. */
    mongo: byName(MONGO_USERS, randomSecret),
    mongoGeneration: FIRST_GENERATION as MongoGeneration,
    mongoRoot: randomSecret(),
    grafana: randomSecret(),
    /** The canary's account gets them. */
    canary: { key: newKey(true), password: randomSecret() } satisfies CanarySecrets,
  };
}

/**
 * Reads the secrets in `file`, adds those that it lacks, and stores what `change` makes of them: access tokens stay valid
 * over a restart or an upgrade.
 * @param advice what to do about a damaged file.
 * @throws SetupError for a damaged file.
 */
export function loadSecrets(
  file: string,
  advice: string,
  change: (secrets: Secrets) => Secrets = (same) => same,
): Secrets {
  const fresh = generateSecrets();
  const secrets = change(merge(fresh, readJson<Secrets>(file, advice) ?? {}));
  writeFileSync(`${file}.partial`, JSON.stringify(secrets), { mode: 0o600 });
  renameSync(`${file}.partial`, file);
  return secrets;
}

/**
 * Returns new passwords of the stores and of Grafana. Until `retirePreviousPasswords`, Redis takes the former ones too, and
 * MongoDB its former users. While a rotation is under way, returns the secrets as they are.
 */
export function rotatePasswords(secrets: Secrets): Secrets {
  if (secrets.previous) return secrets;
  const { redis, mongo, mongoRoot, grafana } = generateSecrets();
  const previous = { redis: secrets.redis, mongoRoot: secrets.mongoRoot };
  const mongoGeneration = nextGeneration(secrets.mongoGeneration);
  return { ...secrets, redis, mongo, mongoRoot, grafana, mongoGeneration, previous };
}

export function retirePreviousPasswords({ previous: _, ...secrets }: Secrets): Secrets {
  return secrets;
}

/** Returns the password with which the operator changes Redis' users. Redis knows a new one only after that change. */
export function redisOperatorPassword({ redis, previous }: Secrets): string {
  return previous?.redis.operator ?? redis.operator;
}

/**
 * Makes a new key, and keeps the former one, which is accepted until `retirePreviousKey`.
 * @throws Error while a former one is kept: it may still encrypt what is stored.
 */
export function rotateKey(secrets: Secrets, name: Key): Secrets {
  if (secrets[`${name}Previous`] !== '')
    throw new Error(`A rotation of ${name} is under way: end it by "retire ${name}" first`);
  return { ...secrets, [name]: randomSecret(), [`${name}Previous`]: secrets[name] };
}

export function retirePreviousKey(secrets: Secrets, name: Key): Secrets {
  return { ...secrets, [`${name}Previous`]: '' };
}

/** Returns the connection string of each user, and the file of users of both Redis. */
export function storeCredentials({ redis, mongo, mongoGeneration, previous }: Secrets) {
  const redisUrl = (host: string) => (service: RedisService) =>
    redisUrlOf(`redis://${host}:6379`, service, redis[service]);
  // Without `journal`, a crash loses acknowledged writes of the last 100 ms.
  const mongoUri = (user: MongoUser) =>
    `mongodb://${mongoUserName(user, mongoGeneration)}:${mongo[user]}@mongo:27017/guias?journal=true`;
  return {
    redisUrls: byName(REDIS_SERVICES, redisUrl('redis')),
    labelCacheUrls: byName(REDIS_SERVICES, redisUrl('label-cache')),
    mongoUris: byName(MONGO_USERS, mongoUri),
    usersAcl: redisAclFile('{guias}', redis, previous?.redis),
  };
}

export function randomSecret(): string {
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
