import { localDays } from '../platform/local-time.ts';
import { LimitReached, type LimitState } from './account-limits.ts';
import type { Counted, CountedLimit } from './counted-limit.ts';

/** The window of the limit, in seconds, as the header names it. A day on which clocks change is longer or shorter. */
const DAY_S = 86_400;
/** How long a day's count is kept, in seconds: guides that are given back after midnight still find it. */
export const KEPT_S = 2 * DAY_S;
/**
 * Below this rest of the day a request waits until Redis has counted: all processes together create fewer in a
 * second.
 */
const NEAR_GUIDES = 20_000;

export type TakenGuides = Pick<Counted, 'giveBack'> & { state: LimitState };

/** Limits the guides that each account creates in a day of the service's time zone. */
export class GuideLimit {
  readonly #limit: CountedLimit;
  readonly #dayAt: ReturnType<typeof localDays>;
  readonly #now: () => number;

  /**
   * @param limit keeps a count for `KEPT_S`.
   * @param localTime writes a moment as `localTimeFormatter` does.
   * @param now returns the time that all processes share, in ms since 1970.
   */
  constructor(limit: CountedLimit, localTime: (moment: Date) => string, now: () => number) {
    this.#limit = limit;
    this.#dayAt = localDays(localTime);
    this.#now = now;
  }

  /**
   * Counts guides that are about to be created; those that were not created are to be given back.
   *
   * @param perDay the account's limit.
   * @throws LimitReached `too-many-guides-today`, with the seconds until midnight; then nothing is counted.
   */
  async take(account: string, perDay: number, count: number): Promise<TakenGuides> {
    const now = this.#now();
    const { date, endsAt } = this.#dayAt(now);
    const { granted, used, giveBack } = await this.#limit.take({
      account,
      name: `guides-account:${date}`,
      amount: count,
      max: perDay,
      unhurried: perDay - NEAR_GUIDES,
    });
    const resetS = Math.max(1, Math.ceil((endsAt - now) / 1_000));
    const remaining = Math.max(0, perDay - used);
    const state: LimitState = { policy: 'guias', max: perDay, windowS: DAY_S, remaining, resetS };
    if (!granted) throw new LimitReached('too-many-guides-today', state, resetS);
    return { state, giveBack };
  }
}
