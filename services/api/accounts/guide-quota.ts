import type { Result } from 'ioredis';
import { LruMap } from 'toad-cache';
import { withTimeout } from '#shared/async/with-timeout.ts';
import { digest } from '#shared/digest.ts';
import type { RedisClient } from '#shared/stores/redis-client.ts';
import { localDays } from '../local-time.ts';
import { QuotaExceeded, type QuotaState } from './account-limits.ts';
import type { QuotaReport } from './quota-report.ts';
import { COUNT_TIMEOUT_MS, MAX_ACCOUNTS, UNHURRIED } from './request-quota.ts';

/** The window of the limit, in seconds, as the header names it. A day on which clocks change is longer or shorter. */
const DAY_S = 86_400;
/** How long a day's count is kept, in seconds: guides that are given back after midnight still find it. */
const KEPT_S = 2 * DAY_S;

/**
 * Counts guides where the limit allows all of them, and nothing otherwise: guides that are refused take no quota from
 * others at the same moment.
 *
 * KEYS: the day of an account. ARGV: guides, the limit, seconds to keep. Returns whether they are granted, and the total.
 */
const TAKE_GUIDES = `
local used = tonumber(redis.call('GET', KEYS[1])) or 0
if used + ARGV[1] > tonumber(ARGV[2]) then return {0, used} end
redis.call('SET', KEYS[1], used + ARGV[1], 'EX', ARGV[3])
return {1, used + ARGV[1]}`;

declare module 'ioredis' {
  interface RedisCommander<Context> {
    takeGuides(
      key: string,
      count: number,
      perDay: number,
      keptS: number,
    ): Result<[granted: 0 | 1, used: number], Context>;
  }
}

type Count = { granted: boolean; used: number };
export type TakenGuides = {
  state: QuotaState;
  /** Takes the guides off the count, because they were not created. To be called once at most; it does not fail. */
  giveBack: () => Promise<void>;
};

/**
 * Limits the guides that each account creates in a day of the service's time zone, over all API processes. While Redis
 * does not count, each process counts for itself.
 */
export class GuideQuota {
  readonly #redis: RedisClient;
  readonly #prefix: string;
  readonly #report: QuotaReport;
  readonly #dayAt: ReturnType<typeof localDays>;
  /** Guides of the day, as this process last heard and has counted since, by key. */
  readonly #used = new LruMap<number>(MAX_ACCOUNTS);

  /** @param localTime writes a moment as `localTimeFormatter` does. */
  constructor(redis: RedisClient, prefix: string, localTime: (moment: Date) => string, report: QuotaReport) {
    redis.defineCommand('takeGuides', { numberOfKeys: 1, lua: TAKE_GUIDES });
    this.#redis = redis;
    this.#prefix = prefix;
    this.#report = report;
    this.#dayAt = localDays(localTime);
  }

  /**
   * Counts guides that are about to be created. Those of an account that is far from its limit are granted before Redis has
   * counted them.
   *
   * @param perDay the account's limit.
   * @throws QuotaExceeded `too-many-guides-today`, with the seconds until midnight; then nothing is counted.
   */
  async take(account: string, perDay: number, count: number): Promise<TakenGuides> {
    const now = Date.now();
    const { date, endsAt } = this.#dayAt(now);
    const key = `${this.#prefix}:guides-account:${date}:${digest(account)}`;
    const counting = this.#countInRedis(key, perDay, count).catch((error): undefined => {
      this.#report.uncounted('guides', error);
    });
    const known = this.#used.get(key);
    const isFarFromLimit = known !== undefined && known + count <= UNHURRIED * perDay;
    const counted = isFarFromLimit ? undefined : await counting;
    const { granted, used } = counted ?? this.#countHere(key, perDay, count);
    const resetS = Math.max(1, Math.ceil((endsAt - now) / 1_000));
    const remaining = Math.max(0, perDay - used);
    const state: QuotaState = { policy: 'guias', quota: perDay, windowS: DAY_S, remaining, resetS };
    if (!granted) {
      this.#report.refused('guides', account);
      throw new QuotaExceeded('too-many-guides-today', state, resetS);
    }
    return { state, giveBack: async () => this.#giveBack(key, count, await counting).catch(() => {}) };
  }

  async #countInRedis(key: string, perDay: number, count: number): Promise<Count> {
    const taken = this.#redis.takeGuides(key, count, perDay, KEPT_S);
    const [granted, used] = await withTimeout(COUNT_TIMEOUT_MS, 'Counting guides', taken);
    this.#used.set(key, used);
    return { granted: granted === 1, used };
  }

  #countHere(key: string, perDay: number, count: number): Count {
    const before = this.#used.get(key) ?? 0;
    const granted = before + count <= perDay;
    const used = granted ? before + count : before;
    this.#used.set(key, used);
    return { granted, used };
  }

  /**
   * Guides that Redis does not take back stay counted until midnight.
   *
   * @param counted what Redis said of them; undefined where it did not count.
   */
  async #giveBack(key: string, count: number, counted: Count | undefined): Promise<void> {
    if (!counted) this.#used.set(key, (this.#used.get(key) ?? count) - count);
    else if (counted.granted) this.#used.set(key, await this.#redis.decrby(key, count));
  }
}
