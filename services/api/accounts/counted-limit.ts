import { hash } from 'node:crypto';
import type { Result } from 'ioredis';
import { LRUCache } from 'lru-cache';
import { withTimeout } from '#shared/async/with-timeout.ts';
import type { RedisClient } from '#shared/stores/redis-client.ts';
import type { LimitReport } from './limit-report.ts';

/** Longest wait for Redis to count, in ms. Counting must not hold up requests that need Redis for nothing else. */
const COUNT_TIMEOUT_MS = 500;
/** Counts that this process remembers, of some 100 bytes each. */
const MAX_COUNTS = 20_000;
/** How long this process relies on the last count of Redis, in ms: other processes count too. */
const KNOWN_MS = 1_000;

/**
 * Adds to a count if the limit allows all of it, and adds nothing otherwise.
 *
 * A count that drains by one each ms is stored as the time at which it is empty, in ms since 1970 (generic cell rate
 * algorithm, ITU-T I.371). The windows of rate-limiter-flexible would come back all at once, and docs/contract.md "Limits"
 * promises that requests come back evenly.
 *
 * KEYS: the count. ARGV: the amount, the limit, the seconds to keep a count, which are 0 for a count that drains. Returns
 * whether the amount is granted, and the count. Sums of fractions may be wrong by a microsecond.
 */
const COUNT = `
local drains = ARGV[3] == '0'
local time = redis.call('TIME')
local empty = drains and time[1] * 1000 + time[2] / 1000 or 0
local used = math.max(0, (tonumber(redis.call('GET', KEYS[1])) or 0) - empty)
if used + ARGV[1] > ARGV[2] + 0.001 then return {0, tostring(used)} end
used = used + ARGV[1]
local keptMs = drains and math.ceil(used) or ARGV[3] * 1000
redis.call('SET', KEYS[1], string.format('%.16g', empty + used), 'PX', keptMs)
return {1, tostring(used)}`;

declare module 'ioredis' {
  interface RedisCommander<Context> {
    countAgainstLimit(
      key: string,
      amount: number,
      max: number,
      keptS: number,
    ): Result<[granted: 0 | 1, used: string], Context>;
  }
}

type Options = {
  redis: RedisClient;
  prefix: string;
  /** Names the limit in metrics and log. */
  limit: 'requests' | 'guides';
  /** How long Redis keeps a count, in seconds; absent for a count that drains by one each ms. */
  keptS?: number;
  report: LimitReport;
};
type Demand = {
  account: string;
  /** Names the account's counts in Redis, such as `guides-account:2026-11-23`. */
  name: string;
  amount: number;
  max: number;
  /** Count up to which the amount is granted before Redis has counted it, if what Redis last said is known. */
  unhurried: number;
};
type Count = { granted: boolean; used: number };
export type Counted = Count & {
  /** Takes the amount off the count again. To be called once at most; it does not fail. For counts that do not drain. */
  giveBack: () => Promise<void>;
};

/**
 * Counts what accounts use of a limit, over all API processes. A process answers without waiting for Redis if it heard the
 * account's count within the last second and the count is far below the limit. Otherwise it waits.
 *
 * While Redis does not count, each process counts for itself: no account is refused because Redis is away or full.
 */
export class CountedLimit {
  readonly #options: Options;
  /**
   * By key, the count as this process last heard it and has counted since, and until when that is known. A count that drains
   * is the time at which it is empty. Both times are of `performance.now()`, in ms.
   */
  readonly #counts = new LRUCache<string, { count: number; knownUntil: number }>({ max: MAX_COUNTS });

  constructor(options: Options) {
    options.redis.defineCommand('countAgainstLimit', { numberOfKeys: 1, lua: COUNT });
    this.#options = options;
  }

  /** Counts an amount if the limit allows all of it. A refusal counts nothing. */
  async take({ account, name, amount, max, unhurried }: Demand): Promise<Counted> {
    const { prefix, limit, report } = this.#options;
    const key = `${prefix}:${name}:${hash('sha256', account, 'base64url')}`;
    const counting = this.#countInRedis(key, amount, max).catch((error): undefined => {
      report.uncounted(limit, error);
      this.#remember(key, this.#used(key), KNOWN_MS);
    });
    const isUnhurried = this.#isKnown(key) && this.#used(key) + amount <= unhurried;
    const counted = (isUnhurried ? undefined : await counting) ?? this.#countHere(key, amount, max);
    if (!counted.granted) report.refused(limit, account);
    return {
      ...counted,
      giveBack: async () => this.#giveBack(key, amount, await counting).catch(() => {}),
    };
  }

  async #countInRedis(key: string, amount: number, max: number): Promise<Count> {
    const { redis, keptS = 0, limit } = this.#options;
    const counting = redis.countAgainstLimit(key, amount, max, keptS);
    const [granted, used] = await withTimeout(COUNT_TIMEOUT_MS, `Counting ${limit}`, counting);
    this.#remember(key, Number(used), KNOWN_MS);
    return { granted: granted === 1, used: Number(used) };
  }

  #countHere(key: string, amount: number, max: number): Count {
    const before = this.#used(key);
    if (before + amount > max) return { granted: false, used: before };
    this.#remember(key, before + amount);
    return { granted: true, used: before + amount };
  }

  /** What Redis does not take back stays counted. @param counted what Redis answered; undefined if it did not count. */
  async #giveBack(key: string, amount: number, counted: Count | undefined): Promise<void> {
    if (!counted) this.#remember(key, Math.max(0, this.#used(key) - amount));
    else if (counted.granted) this.#remember(key, await this.#options.redis.decrby(key, amount), KNOWN_MS);
  }

  #used(key: string): number {
    return Math.max(0, (this.#counts.get(key)?.count ?? 0) - this.#empty());
  }

  #isKnown(key: string): boolean {
    return performance.now() < (this.#counts.get(key)?.knownUntil ?? 0);
  }

  /** @param knownMs for how long the count is known from now on; without it, for as long as before. */
  #remember(key: string, used: number, knownMs?: number): void {
    const known = this.#counts.get(key)?.knownUntil ?? 0;
    const knownUntil = knownMs === undefined ? known : performance.now() + knownMs;
    this.#counts.set(key, { count: this.#empty() + used, knownUntil });
  }

  /** Returns what is stored for an empty count. */
  #empty(): number {
    return this.#options.keptS === undefined ? performance.now() : 0;
  }
}
