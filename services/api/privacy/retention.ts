import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Counter, type Registry } from 'prom-client';
import type { Logger } from '#shared/observability/logger.ts';
import type { RedisClient } from '#shared/stores/redis-client.ts';
import type { PersonalDataStore } from './personal-data-store.ts';

const DAY_MS = 24 * 3_600_000;
/** Guides of one step, and the pause after it, in ms: some 5 000 a second, beside the traffic of customers. */
const STEP_SIZE = 1_000;
const STEP_PAUSE_MS = 100;
/** Guides of test accounts come before it: MongoDB deletes them. */
const FIRST_REAL_NUMBER = '1';
/** Life of the lease, in ms. Each step renews it; after a crash another process continues once it expires. */
const LEASE_MS = 60_000;

/** KEYS: the lease. ARGV: its holder, the new life in ms; 0 ends it. */
const RENEW = `if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('pexpire', KEYS[1], ARGV[2])`;

type Options = {
  store: PersonalDataStore;
  redis: RedisClient;
  prefix: string;
  days: number;
  log: Pick<Logger, 'info' | 'warn'>;
  metrics: Registry;
  stepSize?: number;
};

/**
 * Anonymises old guides: a daily pass walks over all guides by number, in small steps. An index by date would slow
 * every creation. One process holds the lease. The position is in Redis, so another process can continue; without it
 * the pass begins anew.
 */
export class Retention {
  readonly #options: Options;
  readonly #lease: string;
  readonly #state: string;
  readonly #token = randomUUID();
  readonly #anonymised: Counter;

  constructor(options: Options) {
    const { prefix, metrics } = options;
    this.#options = options;
    this.#lease = `${prefix}:retention-lease`;
    this.#state = `${prefix}:retention`;
    this.#anonymised = new Counter({
      name: 'guides_anonymised_total',
      help: 'Guides that were anonymised because they are older than RETENTION_DAYS',
      registers: [metrics],
    });
  }

  /** Runs a pass if it is due and no other process runs it. @param end stops it after the current step. */
  async runIfDue(end?: AbortSignal): Promise<void> {
    const { redis } = this.#options;
    if ((await redis.set(this.#lease, this.#token, 'PX', LEASE_MS, 'NX')) === null) return;
    try {
      const [position, finishedAt] = await redis.hmget(this.#state, 'position', 'finishedAt');
      const due = position || Date.now() - Number(finishedAt ?? 0) >= DAY_MS;
      if (due) await this.#pass(position ?? FIRST_REAL_NUMBER, end);
    } finally {
      await redis.eval(RENEW, 1, this.#lease, this.#token, 0);
    }
  }

  async #pass(from: string, end: AbortSignal | undefined): Promise<void> {
    const { store, redis, days, log, stepSize = STEP_SIZE } = this.#options;
    const before = new Date(Date.now() - days * DAY_MS);
    const pause = () => delay(STEP_PAUSE_MS, undefined, { signal: end }).catch(() => {});
    let anonymised = 0;
    for await (const step of store.steps(stepSize, from)) {
      const changed = await store.anonymiseOlder(step, before);
      this.#anonymised.inc(changed);
      anonymised += changed;
      await redis.hset(this.#state, 'position', step.upTo);
      await pause();
      const leased = await redis.eval(RENEW, 1, this.#lease, this.#token, LEASE_MS);
      if (end?.aborted || leased !== 1) return; // another process goes on
    }
    // A day has few of them: they need no lease.
    while ((await store.anonymiseOlderEvents(before, stepSize)) === stepSize) await pause();
    await redis.multi().hset(this.#state, 'finishedAt', Date.now()).hdel(this.#state, 'position').exec();
    log.info({ guides: anonymised }, `Retention anonymised ${anonymised} guides older than ${days} days`);
  }
}
