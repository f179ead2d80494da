import type { RedisClient } from '#shared/stores/redis-client.ts';
import type { LoginKeys } from './login-keys.ts';

/** How long an address stays known after a login, in seconds. */
const TTL_S = 30 * 24 * 3_600;
/** Most addresses that are known of a user: the latest. It bounds what a user can take of Redis. */
const MAX_ADDRESSES = 100;

/**
 * The addresses from which users logged in rightly of late, as hashes. They are no proof of anything: under an attack,
 * whoever comes from one of them is served before strangers.
 */
export class KnownAddresses {
  readonly #redis: RedisClient;
  readonly #prefix: string;

  /** @param prefix of the keys, which goes before the user. */
  constructor(redis: RedisClient, prefix: string) {
    this.#redis = redis;
    this.#prefix = prefix;
  }

  /** Returns whether the user logged in from there within 30 days. */
  async has({ user, pair }: LoginKeys): Promise<boolean> {
    const since = await this.#redis.zscore(this.#key(user), pair);
    return since !== null && Number(since) > now() - TTL_S;
  }

  async add({ user, pair }: LoginKeys): Promise<void> {
    const key = this.#key(user);
    await Promise.all([
      this.#redis.zadd(key, now(), pair),
      this.#redis.zremrangebyrank(key, 0, -1 - MAX_ADDRESSES),
      this.#redis.expire(key, TTL_S),
    ]);
  }

  #key(user: string): string {
    return `${this.#prefix}:${user}`;
  }
}

/** Seconds since 1970. */
function now(): number {
  return Math.floor(Date.now() / 1_000);
}
