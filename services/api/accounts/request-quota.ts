import { hash } from 'node:crypto';
import type { Result } from 'ioredis';
import { LruMap } from 'toad-cache';
import { withTimeout } from '#shared/async/with-timeout.ts';
import type { RedisClient } from '#shared/stores/redis-client.ts';
import { type AccountLimits, QuotaExceeded, type QuotaState } from './account-limits.ts';
import type { QuotaReport } from './quota-report.ts';

/** Longest wait for Redis to count, in ms. Counting must not hold up requests that need Redis for nothing else. */
export const COUNT_TIMEOUT_MS = 500;
/** Accounts whose counts this process remembers, of some 100 bytes each. */
export const MAX_ACCOUNTS = 20_000;
/** How long this process relies on the last count of Redis, in ms: other processes count too. */
export const KNOWN_MS = 1_000;
/** Share of the burst up to which an account whose count is known does not wait for Redis. */
const UNHURRIED = 0.5;

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

type Charge = { granted: boolean; debtMs: number };

/**
 * Limits the requests of each account over all API processes: so many a second, and a burst after a pause. While Redis
 * does not count, each process counts for itself: nobody is refused because Redis is away or full.
 */
export class RequestQuota {
  readonly #redis: RedisClient;
  readonly #prefix: string;
  readonly #report: QuotaReport;
  /**
   * When the requests of an account are paid for, as this process last heard and has counted since, and until when that is
   * known, in ms of `performance.now()`.
   */
  readonly #accounts = new LruMap<{ paidAt: number; knownUntil: number }>(MAX_ACCOUNTS);

  constructor(redis: RedisClient, prefix: string, report: QuotaReport) {
    redis.defineCommand('takeRequest', { numberOfKeys: 1, lua: TAKE_REQUEST });
    this.#redis = redis;
    this.#prefix = prefix;
    this.#report = report;
  }

  /**
   * Counts a request. One of an account that is known to be far from its limit is granted before Redis has counted it.
   *
   * @throws QuotaExceeded `too-many-requests`, with the seconds until the next request is granted.
   */
  async take(
    account: string,
    { requestsPerSecond, requestsBurst: quota }: AccountLimits,
  ): Promise<QuotaState> {
    const costMs = 1_000 / requestsPerSecond;
    const { granted, debtMs } = await this.#charge(account, costMs, quota * costMs);
    const state: QuotaState = {
      policy: 'solicitudes',
      quota,
      windowS: Math.ceil(quota / requestsPerSecond),
      remaining: Math.max(0, Math.floor(quota - debtMs / costMs + 0.001)),
      resetS: Math.ceil(debtMs / 1_000),
    };
    if (granted) return state;
    this.#report.refused('requests', account);
    const waitMs = debtMs - (quota - 1) * costMs;
    throw new QuotaExceeded('too-many-requests', state, Math.max(1, Math.ceil(waitMs / 1_000)));
  }

  async #charge(account: string, costMs: number, burstMs: number): Promise<Charge> {
    const charging = this.#chargeInRedis(account, costMs, burstMs).catch((error): undefined => {
      this.#report.uncounted('requests', error);
      this.#remember(account, this.#debtOf(account), KNOWN_MS);
    });
    const isFarFromLimit = this.#isKnown(account) && this.#debtOf(account) + costMs <= UNHURRIED * burstMs;
    return (isFarFromLimit ? undefined : await charging) ?? this.#chargeHere(account, costMs, burstMs);
  }

  async #chargeInRedis(account: string, costMs: number, burstMs: number): Promise<Charge> {
    const key = `${this.#prefix}:requests-account:${hash('sha256', account, 'base64url')}`;
    const taken = this.#redis.takeRequest(key, costMs, burstMs);
    const [granted, debt] = await withTimeout(COUNT_TIMEOUT_MS, 'Counting a request', taken);
    const debtMs = Number(debt);
    this.#remember(account, debtMs, KNOWN_MS);
    return { granted: granted === 1, debtMs };
  }

  #chargeHere(account: string, costMs: number, burstMs: number): Charge {
    const debtMs = this.#debtOf(account) + costMs;
    if (debtMs > burstMs) return { granted: false, debtMs: debtMs - costMs };
    this.#remember(account, debtMs);
    return { granted: true, debtMs };
  }

  #debtOf(account: string): number {
    return Math.max(0, (this.#accounts.get(account)?.paidAt ?? 0) - performance.now());
  }

  #isKnown(account: string): boolean {
    return performance.now() < (this.#accounts.get(account)?.knownUntil ?? 0);
  }

  /** @param knownMs for how long the debt is known from now on; without it, for as long as before. */
  #remember(account: string, debtMs: number, knownMs?: number): void {
    const now = performance.now();
    const knownUntil = knownMs === undefined ? (this.#accounts.get(account)?.knownUntil ?? 0) : now + knownMs;
    this.#accounts.set(account, { paidAt: now + debtMs, knownUntil });
  }
}
