import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { DomainError } from '#shared/errors.ts';

/** Failed logins are counted over this time, in seconds (docs/contract.md "Authentication"). */
const WINDOW_S = 900;

/**
 * Limits failed logins by user and by address; the counts are in Redis, so all processes share them.
 *
 * An attempt is counted before the password is checked, and given back when the password is right. If it were
 * counted afterwards, two hundred guesses at the same time would all be checked.
 */
export class LoginLimit {
  readonly #byUser: RateLimiterRedis;
  readonly #byAddress: RateLimiterRedis;

  constructor(redis: Redis, prefix: string, limits: { perUser: number; perAddress: number }) {
    const common = { storeClient: redis, duration: WINDOW_S };
    this.#byUser = new RateLimiterRedis({
      ...common,
      keyPrefix: `${prefix}:login-user`,
      points: limits.perUser,
    });
    this.#byAddress = new RateLimiterRedis({
      ...common,
      keyPrefix: `${prefix}:login-address`,
      points: limits.perAddress,
    });
  }

  /**
   * Counts one attempt.
   *
   * @throws DomainError `too-many-logins`, with the seconds to wait.
   */
  async consume(username: string, address: string): Promise<void> {
    const results = await Promise.allSettled([
      this.#byUser.consume(keyOf(username)),
      this.#byAddress.consume(address),
    ]);
    const refused = results.filter((result) => result.status === 'rejected').map(({ reason }) => reason);
    for (const reason of refused) if (!(reason instanceof RateLimiterRes)) throw reason;
    if (refused.length === 0) return;
    const seconds = Math.max(...refused.map(({ msBeforeNext }) => Math.ceil(msBeforeNext / 1_000)));
    throw new DomainError('too-many-logins', { params: { seconds } });
  }

  /** Forgets the user's failures, and gives the address its attempt back, since the password was right. */
  async reset(username: string, address: string): Promise<void> {
    await Promise.all([this.#byUser.delete(keyOf(username)), this.#byAddress.reward(address)]);
  }
}

/** Hashes the name: Redis keys hold no names, and their length has a bound. */
function keyOf(username: string): string {
  return createHash('sha256').update(username).digest('base64url');
}
