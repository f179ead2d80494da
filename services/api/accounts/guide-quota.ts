import { hash } from 'node:crypto';
import type { Result } from 'ioredis';
import { LruMap } from 'toad-cache';
import { withTimeout } from '#shared/async/with-timeout.ts';
import type { RedisClient } from '#shared/stores/redis-client.ts';
import { localDays } from '../local-time.ts';
import { QuotaExceeded, type QuotaState } from './account-limits.ts';
import type { QuotaReport } from './quota-report.ts';
import { COUNT_TIMEOUT_MS, KNOWN_MS, MAX_ACCOUNTS } from './request-quota.ts';

/** The window of the limit, in seconds, as the header names it. A day on which clocks change is longer or shorter. */
const DAY_S = 86_400;
/**
 * An account with fewer guides than this left for the day waits until Redis has counted: all processes together create fewer
 * in `KNOWN_MS`. Other accounts do not wait: the two waits of a creation cost a tenth of the creations a second.
 */
const NEAR_GUIDES = 20_000;
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
  /**
   * Guides of the day by key, as this process last heard and has counted since, and until when that is known, in ms of
   * `performance.now()`.
   */
  readonly #counts = new LruMap<{ used: number; knownUntil: number }>(MAX_ACCOUNTS);

  /** @param localTime writes a moment as `localTimeFormatter` does. */
  constructor(redis: RedisClient, prefix: string, localTime: (moment: Date) => string, report: QuotaReport) {
    redis.defineCommand('takeGuides', { numberOfKeys: 1, lua: TAKE_GUIDES });
    this.#redis = redis;
    this.#prefix = prefix;
    this.#report = report;
    this.#dayAt = localDays(localTime);
  }

  /**
   * Counts guides that are about to be created. Those of an account that is known to be far from its limit are granted before
   * Redis has counted them.
   *
   * @param perDay the account's limit.
   * @throws QuotaExceeded `too-many-guides-today`, with the seconds until midnight; then nothing is counted.
   */
  async take(account: string, perDay: number, count: number): Promise<TakenGuides> {
    const now = Date.now();
    const { date, endsAt } = this.#dayAt(now);
    const key = `${this.#prefix}:guides-account:${date}:${hash('sha256', account, 'base64url')}`;
    const counting = this.#countInRedis(key, perDay, count).catch((error): undefined => {
      this.#report.uncounted('guides', error);
      this.#remember(key, this.#counts.get(key)?.used ?? 0, KNOWN_MS);
    });
    const { used: before = 0, knownUntil = 0 } = this.#counts.get(key) ?? {};
    const isFarFromLimit = performance.now() < knownUntil && before + count + NEAR_GUIDES <= perDay;
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
    this.#remember(key, used, KNOWN_MS);
    return { granted: granted === 1, used };
  }

  #countHere(key: string, perDay: number, count: number): Count {
    const before = this.#counts.get(key)?.used ?? 0;
    const granted = before + count <= perDay;
    const used = granted ? before + count : before;
    this.#remember(key, used);
    return { granted, used };
  }

  /**
   * Guides that Redis does not take back stay counted until midnight.
   *
   * @param counted what Redis said of them; undefined where it did not count.
   */
  async #giveBack(key: string, count: number, counted: Count | undefined): Promise<void> {
    if (!counted) this.#remember(key, (this.#counts.get(key)?.used ?? count) - count);
    else if (counted.granted) this.#remember(key, await this.#redis.decrby(key, count), KNOWN_MS);
  }

  /** @param knownMs for how long the count is known from now on; without it, for as long as before. */
  #remember(key: string, used: number, knownMs?: number): void {
    const knownUntil =
      knownMs === undefined ? (this.#counts.get(key)?.knownUntil ?? 0) : performance.now() + knownMs;
    this.#counts.set(key, { used, knownUntil });
  }
}
