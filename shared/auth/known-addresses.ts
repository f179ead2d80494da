import type { Redis } from 'ioredis';

/** How long an address stays known after a login, in seconds. */
const TTL_S = 30 * 24 * 3_600;
/** Most addresses that are known of a user: the latest. It bounds what a user can take of Redis. */
const MAX_ADDRESSES = 100;

/**
 * The addresses from which users logged in rightly of late. They are no proof of anything: under an attack, whoever comes
 * from one of them is served before strangers.
 */
export class KnownAddresses {
  readonly #redis: Redis;
  readonly #prefix: string;

  /** @param prefix of the keys, which goes before the user. */
  constructor(redis: Redis, prefix: string) {
    this.#redis = redis;
    this.#prefix = prefix;
  }

  /** Returns whether the user logged in from there within 30 days. @param user as a hash, as in `add`. */
  async has(user: string, address: string): Promise<boolean> {
    const since = await this.#redis.zscore(this.#key(user), address);
    return since !== null && Number(since) > now() - TTL_S;
  }

  async add(user: string, address: string): Promise<void> {
    const key = this.#key(user);
    await Promise.all([
      this.#redis.zadd(key, now(), address),
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
