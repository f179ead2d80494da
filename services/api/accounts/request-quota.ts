import type { Result } from 'ioredis';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { withTimeout } from '#shared/async/with-timeout.ts';
import { digest } from '#shared/digest.ts';
import type { RedisClient } from '#shared/stores/redis-client.ts';
import { type AccountLimits, QuotaExceeded, type QuotaState } from './account-limits.ts';
import type { QuotaReport } from './quota-report.ts';

/** Longest wait for Redis to count, in ms. Counting must not hold up requests that need Redis for nothing else. */
export const COUNT_TIMEOUT_MS = 500;
/** Longest window of the count in memory, in seconds. A timer takes 24 days at most. */
const MAX_WINDOW_S = 86_400;

/**
 * Charges a request to an account. The account's key holds the time at which its requests so far are paid for, in ms
 * since 1970 (generic cell rate algorithm, ITU-T I.371). The windows of rate-limiter-flexible would come back all at
 * once, and docs/contract.md "Limits" promises that requests come back evenly.
 *
 * KEYS: the account. ARGV: what a request costs, and the largest debt, in ms. Returns whether the request is granted, and
 * the debt in ms. A sum of fractions may be wrong by a thousandth of a request.
 */
const TAKE_REQUEST = `
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local debt = math.max(0, (tonumber(redis.call('GET', KEYS[1])) or 0) - now)
if debt + ARGV[1] > ARGV[2] + ARGV[1] / 1000 then return {0, tostring(debt)} end
debt = debt + ARGV[1]
redis.call('SET', KEYS[1], string.format('%.3f', now + debt), 'PX', math.ceil(debt))
return {1, tostring(debt)}`;

declare module 'ioredis' {
  interface RedisCommander<Context> {
    takeRequest(key: string, costMs: number, burstMs: number): Result<[0 | 1, string], Context>;
  }
}

/**
 * Limits the requests of each account over all API processes: so many a second, and a burst after a pause. While Redis
 * does not count, each process counts for itself: nobody is refused because Redis is away or full.
 */
export class RequestQuota {
  readonly #redis: RedisClient;
  readonly #prefix: string;
  readonly #report: QuotaReport;
  readonly #memory = new RateLimiterMemory({ points: 0, duration: 1 });

  constructor(redis: RedisClient, prefix: string, report: QuotaReport) {
    redis.defineCommand('takeRequest', { numberOfKeys: 1, lua: TAKE_REQUEST });
    this.#redis = redis;
    this.#prefix = prefix;
    this.#report = report;
  }

  /**
   * Counts a request.
   *
   * @throws QuotaExceeded `too-many-requests`, with the seconds until the next request is granted.
   */
  async take(account: string, limits: AccountLimits): Promise<QuotaState> {
    const { requestsPerSecond, requestsBurst: quota } = limits;
    const costMs = 1_000 / requestsPerSecond;
    const windowS = Math.ceil(quota / requestsPerSecond);
    const { granted, remaining, debtMs } = await this.#charge(account, costMs, quota).catch((error) => {
      this.#report.uncounted('requests', error);
      return this.#chargeInMemory(account, quota, Math.min(windowS, MAX_WINDOW_S));
    });
    const state: QuotaState = {
      policy: 'solicitudes',
      quota,
      windowS,
      remaining,
      resetS: Math.ceil(debtMs / 1_000),
    };
    if (granted) return state;
    this.#report.refused('requests', account);
    const waitMs = debtMs - (quota - 1) * costMs;
    throw new QuotaExceeded('too-many-requests', state, Math.max(1, Math.ceil(waitMs / 1_000)));
  }

  async #charge(account: string, costMs: number, quota: number) {
    const key = `${this.#prefix}:requests-account:${digest(account)}`;
    const taken = this.#redis.takeRequest(key, costMs, quota * costMs);
    const [granted, debt] = await withTimeout(COUNT_TIMEOUT_MS, 'Counting a request', taken);
    const debtMs = Number(debt);
    const remaining = Math.max(0, Math.floor(quota - debtMs / costMs + 0.001));
    return { granted: granted === 1, remaining, debtMs };
  }

  async #chargeInMemory(account: string, quota: number, windowS: number) {
    const counted = await this.#memory.penalty(account, 1, { customDuration: windowS });
    const { consumedPoints: used, msBeforeNext: debtMs } = counted;
    return { granted: used <= quota, remaining: Math.max(0, quota - used), debtMs };
  }
}
