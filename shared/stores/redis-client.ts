import type { Cluster, Redis } from 'ioredis';

/** A connection to one Redis, which may move, or to a Redis Cluster. All keys of a prefix are in one slot (`REDIS_PREFIX`). */
export type RedisClient = Redis | Cluster;
