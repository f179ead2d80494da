import { randomUUID } from 'node:crypto';
import type { RedisClient } from '#shared/stores/redis-client.ts';

/** Deletes the lock only while it holds the caller's token: compared and deleted in one step, which Redis 7 has no command for. */
const RELEASE = `if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0`;

/**
 * Lets one process at a time rebuild the cache. The lock is a Redis key with its holder's token, and expires by itself:
 * a process that dies does not keep it.
 *
 * A rebuild that outlives its lock leaves the next holder's lock alone (https://redis.io/docs/latest/commands/set,
 * "Patterns").
 */
export class RebuildLock {
  readonly #redis: RedisClient;
  readonly #key: string;
  readonly #leaseMs: number;

  constructor(redis: RedisClient, key: string, leaseMs: number) {
    this.#redis = redis;
    this.#key = key;
    this.#leaseMs = leaseMs;
  }

  /**
   * Runs `work` with the lock's token.
   *
   * @returns false, without having run it, where another process holds the lock.
   */
  async tryRun(work: (token: string) => Promise<void>): Promise<boolean> {
    const token = randomUUID();
    const taken = await this.#redis.set(this.#key, token, 'PX', this.#leaseMs, 'NX');
    if (taken === null) return false;
    try {
      await work(token);
    } finally {
      await this.#redis.eval(RELEASE, 1, this.#key, token);
    }
    return true;
  }
}
