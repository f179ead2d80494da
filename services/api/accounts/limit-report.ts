import { LRUCache } from 'lru-cache';
import { Counter, type Registry } from 'prom-client';
import type { Logger } from '#shared/observability/logger.ts';
import { RecentRefusals } from './recent-refusals.ts';

export type Limit = 'requests' | 'guides' | 'pages';

/** How often the same is logged at most, in ms. */
const LOG_EVERY_MS = 60_000;
const MAX_ACCOUNTS = 1_000;

/** Counts what limits refuse, and logs the accounts: they are too many for labels of metrics. */
export class LimitReport {
  readonly #log: Pick<Logger, 'warn'>;
  readonly #refused: Counter<'limit'>;
  readonly #uncounted: Counter<'limit'>;
  readonly #recent = new RecentRefusals();
  readonly #logged = new LRUCache<string, true>({ max: MAX_ACCOUNTS, ttl: LOG_EVERY_MS });

  constructor(metrics: Registry, log: Pick<Logger, 'warn'>) {
    this.#log = log;
    const common = { labelNames: ['limit'] as const, registers: [metrics] };
    this.#refused = new Counter({
      ...common,
      name: 'quota_refusals_total',
      help: 'Requests refused with 429 because their account had reached a limit',
    });
    this.#uncounted = new Counter({
      ...common,
      name: 'quota_uncounted_total',
      help: 'Times that Redis did not count against a limit, and the work went on',
    });
    // A counter must exist before its first event, or rate() does not show that event.
    for (const limit of ['requests', 'guides', 'pages'] as const) this.#refused.inc({ limit }, 0);
    for (const limit of ['requests', 'guides'] as const) this.#uncounted.inc({ limit }, 0);
  }

  /** Counts a refused request; logs the first in a minute of an account. */
  refused(limit: Limit, account: string): void {
    this.#refused.inc({ limit });
    this.#recent.add(account);
    const message = 'An account has reached its limit: its requests are refused with 429';
    this.#warnOnce(`${limit} ${account}`, { account, limit }, message);
  }

  /** Returns the accounts with most refusals in the last minute, for "Estado". */
  mostRefused() {
    return this.#recent.most();
  }

  /** Counts a failure of Redis; logs the first in a minute. */
  uncounted(limit: Limit, err: unknown): void {
    this.#uncounted.inc({ limit });
    const message = 'Redis does not count against the limits of accounts: work goes on uncounted';
    this.#warnOnce(limit, { err, limit }, message);
  }

  #warnOnce(line: string, details: object, message: string): void {
    if (this.#logged.has(line)) return;
    this.#logged.set(line, true);
    this.#log.warn(details, message);
  }
}
