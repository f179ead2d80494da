import type { Result } from 'ioredis';
import { LruMap } from 'toad-cache';
import { withTimeout } from '#shared/async/with-timeout.ts';
import { digest } from '#shared/digest.ts';
import type { RedisClient } from '#shared/stores/redis-client.ts';
import type { QuotaState } from '../quotas/account-limits.ts';
import type { QuotaReport } from '../quotas/quota-report.ts';
import { type Counted, Settlement } from '../quotas/settlement.ts';

const DAY_S = 86_400;
/** How long a day's count is kept, in seconds: what is given back after midnight still finds it. */
const KEPT_S = 2 * DAY_S;
const MAX_ACCOUNTS = 10_000;
/** How long a process trusts a total that it has learned, in ms. */
const TRUSTED_MS = 1_000;
/** What ten processes create between two steps, each with all its might, as guides and as a share of the limit. */
const LEAST_MARGIN = 1_000;
const MARGIN = 0.05;
/** Longest wait for Redis, in ms. A creation needs Redis for nothing else, and then goes on. */
const TIMEOUT_MS = 500;

/** KEYS: days of accounts. ARGV: what to add to each, then the seconds to keep them. Returns each total. */
const SETTLE = `
local totals = {}
for i, key in ipairs(KEYS) do
  totals[i] = redis.call('INCRBY', key, ARGV[i])
  redis.call('EXPIRE', key, ARGV[#ARGV])
end
return totals`;

/**
 * Counts guides where the limit allows all of them. Returns whether it does, and the total.
 *
 * KEYS: the day of an account. ARGV: guides that were granted before, those to grant now, the limit, seconds to keep.
 */
const TAKE = `
local total = redis.call('INCRBY', KEYS[1], ARGV[1])
local granted = total + ARGV[2] <= tonumber(ARGV[3])
if granted then total = redis.call('INCRBY', KEYS[1], ARGV[2]) end
redis.call('EXPIRE', KEYS[1], ARGV[4])
return {granted and 1 or 0, total}`;

declare module 'ioredis' {
  interface RedisCommander<Context> {
    settleGuides(keys: number, ...keysAndCounts: (string | number)[]): Result<number[], Context>;
    takeGuides(
      key: string,
      before: number,
      count: number,
      perDay: number,
      keptS: number,
    ): Result<[number, number], Context>;
  }
}

/** The guides of an account in a day. */
type Day = Counted & {
  /** Of all processes, as far as this one knows. */
  used: number;
  /** When this process last heard of the others, in ms of `performance.now()`. */
  settledAt: number;
};

/** Guides that were counted against a day's limit, or were not granted. */
export type TakenGuides = {
  granted: boolean;
  state: QuotaState;
  /** Takes guides that were not created off the count. */
  giveBack: () => void;
};

/**
 * Limits the guides that each account creates in a day of the service's time zone, over all processes.
 *
 * Far from the limit this process decides by what it knows, and settles with Redis in steps. Near it, and where the last
 * word of Redis is old, Redis decides, so that the limit is exact. While Redis is away each process counts for itself.
 */
export class GuideQuota {
  readonly #redis: RedisClient;
  readonly #prefix: string;
  readonly #localTime: (moment: Date) => string;
  readonly #report: QuotaReport;
  readonly #days = new LruMap<Day>(MAX_ACCOUNTS);
  readonly #settlement: Settlement<Day>;

  /** @param localTime writes a moment as `localTimeFormatter` does. */
  constructor(redis: RedisClient, prefix: string, localTime: (moment: Date) => string, report: QuotaReport) {
    redis.defineCommand('settleGuides', { lua: SETTLE });
    redis.defineCommand('takeGuides', { numberOfKeys: 1, lua: TAKE });
    this.#redis = redis;
    this.#prefix = prefix;
    this.#localTime = localTime;
    this.#report = report;
    this.#settlement = new Settlement({
      send: (keys, counts) => redis.settleGuides(keys.length, ...keys, ...counts, KEPT_S),
      learn,
      fail: (error) => report.uncounted('guides', error),
      now: () => performance.now(),
    });
  }

  /** Counts guides that are about to be created. */
  async take(account: string, perDay: number, count: number): Promise<TakenGuides> {
    const [date = '', time = ''] = this.#localTime(new Date()).split('T');
    const day = this.#dayOf(account, date);
    const granted = this.#knowsItFits(day, perDay, count)
      ? this.#count(day, count)
      : await this.#ask(day, perDay, count);
    if (!granted) this.#report.refused('guides', account);
    let counted = granted;
    return {
      granted,
      state: {
        policy: 'guias',
        quota: perDay,
        windowS: DAY_S,
        remaining: Math.max(0, perDay - day.used),
        resetS: DAY_S - secondsOfDay(time),
      },
      giveBack: () => {
        if (counted) this.#count(day, -count);
        counted = false;
      },
    };
  }

  /** Settles no more. */
  close(): void {
    this.#settlement.close();
  }

  #dayOf(account: string, date: string): Day {
    const name = `${date} ${account}`;
    const known = this.#days.get(name);
    if (known) return known;
    const key = `${this.#prefix}:guides-account:${date}:${digest(account)}`;
    const day = { key, used: 0, unsettled: 0, settledAt: Number.NEGATIVE_INFINITY };
    this.#days.set(name, day);
    return day;
  }

  #knowsItFits({ used, settledAt }: Day, perDay: number, count: number): boolean {
    const margin = Math.max(LEAST_MARGIN, perDay * MARGIN);
    return settledAt > performance.now() - TRUSTED_MS && used + count <= perDay - margin;
  }

  #count(day: Day, count: number): true {
    day.used += count;
    this.#settlement.add(day, count);
    return true;
  }

  /** Lets Redis decide, which hears at once of what it has not heard yet. */
  async #ask(day: Day, perDay: number, count: number): Promise<boolean> {
    const before = day.unsettled;
    day.unsettled = 0;
    try {
      const asked = this.#redis.takeGuides(day.key, before, count, perDay, KEPT_S);
      const [granted, total] = await withTimeout(TIMEOUT_MS, 'Counting guides', asked);
      learn(day, total);
      return granted === 1;
    } catch (error) {
      this.#report.uncounted('guides', error);
      day.settledAt = performance.now();
      const granted = day.used + count <= perDay;
      if (granted) day.used += count;
      return granted;
    }
  }
}

function learn(day: Day, total: number): void {
  day.used = total + day.unsettled;
  day.settledAt = performance.now();
}

/** @param time `HH:mm:ss`. */
function secondsOfDay(time: string): number {
  const [hours = 0, minutes = 0, seconds = 0] = time.split(':').map(Number);
  return (hours * 60 + minutes) * 60 + seconds;
}
