import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { DomainError } from '#shared/errors.ts';

/** Failed logins are counted over this time, in seconds (docs/contract.md "Authentication"). */
const WINDOW = 900;

/**
 * Bounds the guessing of passwords, over all processes, by user and by address.
 *
 * An attempt is counted before the password is looked at and given back when it is right: counted afterwards,
 * two hundred guesses at once would all pass.
 */
export class LoginLimit {
  readonly #byUser: RateLimiterRedis;
  readonly #byAddress: RateLimiterRedis;

  constructor(redis: Redis, prefix: string, limits: { perUser: number; perAddress: number }) {
    const common = { storeClient: redis, duration: WINDOW };
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

  /** @throws DomainError `too-many-logins`, with the seconds to wait. */
  async count(username: string, address: string): Promise<void> {
    const results = await Promise.allSettled([
      this.#byUser.consume(nameless(username)),
      this.#byAddress.consume(address),
    ]);
    const refused = results.filter((result) => result.status === 'rejected').map(({ reason }) => reason);
    for (const reason of refused) if (!(reason instanceof RateLimiterRes)) throw reason;
    if (refused.length === 0) return;
    const seconds = Math.max(...refused.map(({ msBeforeNext }) => Math.ceil(msBeforeNext / 1_000)));
    throw new DomainError('too-many-logins', { params: { seconds } });
  }

  /** The password was right: the user begins anew, and the address has lost nothing. */
  async forgive(username: string, address: string): Promise<void> {
    await Promise.all([this.#byUser.delete(nameless(username)), this.#byAddress.reward(address)]);
  }
}

/** No names, and no text of any length, in Redis keys. */
function nameless(username: string): string {
  return createHash('sha256').update(username).digest('base64url');
}
