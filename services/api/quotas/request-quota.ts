import type { Result } from 'ioredis';
import { LruMap } from 'toad-cache';
import { digest } from '#shared/digest.ts';
import type { RedisClient } from '#shared/stores/redis-client.ts';
import type { AccountLimits, QuotaState } from './account-limits.ts';
import type { QuotaReport } from './quota-report.ts';
import { type Counted, Settlement } from './settlement.ts';

const MAX_ACCOUNTS = 10_000;
/** Share of a request by which sums of fractions may be wrong. */
const ROUNDING = 0.001;

/**
 * Adds times to accounts' debts, and returns each debt, in ms. A debt shrinks with time and its key goes when it is
 * paid, so Redis holds only accounts that have asked for something in the last seconds.
 *
 * KEYS: accounts. ARGV: what to add to each, in ms.
 */
const SETTLE = `
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local debts = {}
for i, key in ipairs(KEYS) do
  local paid = math.max(tonumber(redis.call('GET', key) or 0), now) + ARGV[i]
  redis.call('SET', key, string.format('%.3f', paid), 'PX', math.max(1, math.ceil(paid - now)))
  debts[i] = tostring(paid - now)
end
return debts`;

declare module 'ioredis' {
  interface RedisCommander<Context> {
    settleRequests(keys: number, ...keysAndTimes: (string | number)[]): Result<string[], Context>;
  }
}

/** An account's requests. Each costs a time, 1 ms where 1 000 a second are allowed; `unsettled` is such a time. */
type Bucket = Counted & {
  /** When the requests so far are paid for, in ms of `now`. */
  paidAt: number;
};

/**
 * Limits the requests of each account over all processes: a token bucket, kept as the time at which the account's requests
 * are paid for (the generic cell rate algorithm, ITU-T I.371).
 *
 * A request waits for nothing: this process decides by what it knows, and settles with Redis in steps. What several
 * processes let through in between is a debt that the account pays first, so over seconds its rate is exact. While Redis
 * is away each process counts for itself.
 */
export class RequestQuota {
  readonly #prefix: string;
  readonly #now: () => number;
  readonly #buckets = new LruMap<Bucket>(MAX_ACCOUNTS);
  readonly #settlement: Settlement<Bucket>;

  /** @param now a monotonic clock, in ms. */
  constructor(redis: RedisClient, prefix: string, report: QuotaReport, now = () => performance.now()) {
    redis.defineCommand('settleRequests', { lua: SETTLE });
    this.#prefix = prefix;
    this.#now = now;
    this.#settlement = new Settlement({
      send: (keys, times) => redis.settleRequests(keys.length, ...keys, ...times),
      learn: (bucket, debtMs) => {
        bucket.paidAt = now() + debtMs + bucket.unsettled;
      },
      fail: (error) => report.uncounted('requests', error),
      now,
    });
  }

  /** Counts a request, unless the account's limit is reached: then `waitMs`, the time until the next one, is above 0. */
  take(account: string, limits: AccountLimits): { waitMs: number; state: QuotaState } {
    const { requestsPerSecond, requestsBurst } = limits;
    const costMs = 1_000 / requestsPerSecond;
    const now = this.#now();
    const bucket = this.#bucketOf(account);
    let debtMs = Math.max(0, bucket.paidAt - now);
    const left = requestsBurst - debtMs / costMs;
    const waitMs = left > 1 - ROUNDING ? 0 : (1 - left) * costMs;
    if (waitMs === 0) {
      debtMs += costMs;
      bucket.paidAt = now + debtMs;
      this.#settlement.add(bucket, costMs);
    }
    const state: QuotaState = {
      policy: 'solicitudes',
      quota: requestsBurst,
      windowS: Math.ceil(requestsBurst / requestsPerSecond),
      remaining: Math.max(0, Math.floor(left - 1 + ROUNDING)),
      resetS: Math.ceil(debtMs / 1_000),
    };
    return { waitMs, state };
  }

  /** Settles no more. */
  close(): void {
    this.#settlement.close();
  }

  #bucketOf(account: string): Bucket {
    const known = this.#buckets.get(account);
    if (known) return known;
    const key = `${this.#prefix}:requests-account:${digest(account)}`;
    const bucket = { key, paidAt: 0, unsettled: 0 };
    this.#buckets.set(account, bucket);
    return bucket;
  }
}
