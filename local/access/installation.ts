import { generateSecrets, type Secrets, secret, secretFor } from '../secrets.ts';
import { MONGO_USERS, type MongoUser } from './mongo-roles.ts';
import { REDIS_SERVICES, type RedisService, redisAclFile, redisUrlOf } from './redis-acl.ts';

/** The secrets of an installation with a MongoDB and a Redis of its own: Compose, and k8s/small. */
export type InstallationSecrets = Secrets & {
  /** Passwords of MongoDB's users. */
  mongo: Record<MongoUser, string>;
  /** Password of MongoDB's administrator. */
  mongoRoot: string;
};

export function generateInstallationSecrets(): InstallationSecrets {
  return { ...generateSecrets(), mongo: secretFor(MONGO_USERS), mongoRoot: secret() };
}

/** Returns what the stores' users log in with: the connection string of each, and the file of users of both Redis. */
export function storeCredentials({ redis, mongo }: InstallationSecrets) {
  const redisUrl = (host: string) => (service: RedisService) =>
    redisUrlOf(`redis://${host}:6379`, service, redis[service]);
  // MongoDB acknowledges what is in its journal: otherwise a crash loses the writes of the last 100 ms.
  const mongoUri = (user: MongoUser) => `mongodb://${user}:${mongo[user]}@mongo:27017/guias?journal=true`;
  return {
    redisUrls: byName(REDIS_SERVICES, redisUrl('redis')),
    labelCacheUrls: byName(REDIS_SERVICES, redisUrl('label-cache')),
    mongoUris: byName(MONGO_USERS, mongoUri),
    usersAcl: redisAclFile('{guias}', redis),
  };
}

function byName<K extends string>(names: readonly K[], make: (name: K) => string): Record<K, string> {
  return Object.fromEntries(names.map((name) => [name, make(name)])) as Record<K, string>;
}
