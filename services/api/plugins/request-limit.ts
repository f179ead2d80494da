import type { Redis } from 'ioredis';
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { DomainError } from '#shared/errors.ts';

/**
 * Counts requests over all API processes and refuses those beyond a limit a minute.
 *
 * @param options.name what is counted by, such as `user`. @param options.perMinute 0 is no limit.
 * @returns counts one for a key. @throws DomainError `too-many-requests`, with the seconds to wait.
 */
export function requestLimit(redis: Redis, options: { prefix: string; name: string; perMinute: number }) {
  const { prefix, name, perMinute } = options;
  if (perMinute === 0) return async () => {};
  const keyPrefix = `${prefix}:requests-${name}`;
  const limiter = new RateLimiterRedis({ storeClient: redis, keyPrefix, points: perMinute, duration: 60 });
  return async (key: string): Promise<void> => {
    try {
      await limiter.consume(key);
    } catch (reason) {
      if (!(reason instanceof RateLimiterRes)) throw reason;
      const seconds = Math.max(1, Math.ceil(reason.msBeforeNext / 1_000));
      throw new DomainError('too-many-requests', { params: { seconds } });
    }
  };
}
