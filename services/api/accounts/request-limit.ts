import { type AccountLimits, LimitReached, type LimitState } from './account-limits.ts';
import type { CountedLimit } from './counted-limit.ts';

/** Share of the burst up to which an account whose count is known does not wait for Redis. */
const UNHURRIED = 0.5;

/** Limits the requests of each account: so many a second in the long run, and a burst after a pause. */
export class RequestLimit {
  readonly #limit: CountedLimit;

  /** @param limit counts the time that requests cost, in ms, and drains. */
  constructor(limit: CountedLimit) {
    this.#limit = limit;
  }

  /** Counts a request. @throws LimitReached `too-many-requests`, with the seconds until the next request is granted. */
  async take(
    account: string,
    { requestsPerSecond, requestsBurst: burst }: AccountLimits,
  ): Promise<LimitState> {
    const costMs = 1_000 / requestsPerSecond;
    const max = burst * costMs;
    const { granted, used: debtMs } = await this.#limit.take({
      account,
      name: 'requests-account',
      amount: costMs,
      max,
      unhurried: UNHURRIED * max,
    });
    const state: LimitState = {
      policy: 'solicitudes',
      max: burst,
      windowS: Math.ceil(burst / requestsPerSecond),
      remaining: Math.max(0, Math.floor(burst - debtMs / costMs + 0.001)),
      resetS: Math.ceil(debtMs / 1_000),
    };
    if (granted) return state;
    const waitMs = debtMs - (burst - 1) * costMs;
    throw new LimitReached('too-many-requests', state, Math.max(1, Math.ceil(waitMs / 1_000)));
  }
}
