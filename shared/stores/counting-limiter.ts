import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { RedisClient } from './redis-client.ts';

/** Longest text counted in place of an invalid address, in characters. */
const MAX_ADDRESS_TEXT = 64;

/**
 * Returns the group that an address is counted under (docs/contract.md "Authentication"): the /64 of an IPv6 address. An IPv4 address in IPv6 notation counts as IPv4.
 */
export function addressGroup(address: string): string {
  const text = String(address); // undefined when the client has left
  if (!isIP(text)) return text.slice(0, MAX_ADDRESS_TEXT);
  const parsed = ipaddr.process(text);
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  const network = parsed.parts.slice(0, 4).map((part) => part.toString(16));
  return `${network.join(':')}::/64`;
}

/**
 * Counts in Redis for all processes, up to `points` in `duration` seconds. While Redis is away, each process counts
 * for itself.
 */
export function countingLimiter(
  storeClient: RedisClient,
  keyPrefix: string,
  points: number,
  duration: number,
): RateLimiterRedis {
  const insuranceLimiter = new RateLimiterMemory({ points, duration });
  const options = { storeClient, keyPrefix, points, duration, insuranceLimiter };
  return new RateLimiterRedis({ ...options, rejectIfRedisNotReady: true });
}

/**
 * Returns after how many seconds a limiter that has refused takes more.
 *
 * @param reason with which `consume` rejected.
 * @throws `reason` if it is no refusal: the limiter also rejects with errors of its own.
 */
export function secondsUntilTaken(reason: unknown): number {
  if (!(reason instanceof RateLimiterRes)) throw reason;
  return Math.max(1, Math.ceil(reason.msBeforeNext / 1_000));
}
