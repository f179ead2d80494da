import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Connection } from 'mongoose';
import type { Registry } from 'prom-client';
import type { Logger } from '#shared/observability/logger.ts';
import { addGauge } from '#shared/observability/metrics.ts';
import type { DatabaseClock } from '#shared/stores/database-clock.ts';
import type { RedisClient } from '#shared/stores/redis-client.ts';
import { anonymiseOlder } from '../guides/anonymise-guides.ts';
import { guideSteps } from '../guides/guide-store.ts';
import type { PersonalTexts } from '../platform/personal-data.ts';

const DAY_MS = 24 * 3_600_000;
/** Guides of one step, and the pause after it, in ms: some 5 000 a second, beside the traffic of customers. */
const STEP_SIZE = 1_000;
const STEP_PAUSE_MS = 100;
/** Guides of test accounts come before it: MongoDB deletes them. */
const FIRST_REAL_NUMBER = '1';
/** Life of the lease, in ms. Each step renews it; after a crash another process continues once it expires. */
const LEASE_MS = 60_000;
/** Most that the clocks of this process and of the database may differ, in ms, in a pass. */
const CLOCKS_DIFFER_MS = 3_600_000;

/** KEYS: the lease. ARGV: its holder, the new life in ms; 0 ends it. */
const RENEW = `if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('pexpire', KEYS[1], ARGV[2])`;

type Options = {
  mongo: Connection;
  /** What the rooms store beside guides. */
  texts: PersonalTexts;
  clock: DatabaseClock;
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
 * the pass begins anew. All times are of the database's clock.
 */
export class Retention {
  readonly #options: Options;
  readonly #lease: string;
  readonly #state: string;
  readonly #token = randomUUID();

  constructor(options: Options) {
    const { prefix, metrics } = options;
    this.#options = options;
    this.#lease = `${prefix}:retention-lease`;
    this.#state = `${prefix}:retention`;
    const help =
      'Unix time at which the last pass of retention finished; before the first one, at which retention was first due';
    addGauge(metrics, 'retention_last_pass_seconds', help, async () => {
      const { since, finishedAt = since } = await this.#read();
      return finishedAt && finishedAt / 1_000;
    });
  }

  /**
   * Runs a pass if it is due and no other process runs it.
   * @param end stops it after the current step.
   * @throws Error if clocks differ by more than an hour. Nobody knows which is right, and a pass cannot be undone.
   */
  async runIfDue(end?: AbortSignal): Promise<void> {
    const { redis, clock } = this.#options;
    if ((await this.#read()).since === undefined)
      await redis.hset(this.#state, 'since', (await clock.now()).getTime());
    const differenceMs = await clock.differenceMs();
    if (Math.abs(differenceMs) > CLOCKS_DIFFER_MS) {
      const hours = Math.round(differenceMs / 3_600_000);
      throw new Error(
        `The clock of this process is ${hours} h ahead of the database's: one of them is wrong`,
      );
    }
    if ((await redis.set(this.#lease, this.#token, 'PX', LEASE_MS, 'NX')) === null) return;
    try {
      const { position, isDue } = await this.#read();
      if (isDue) await this.#pass(position ?? FIRST_REAL_NUMBER, end);
    } finally {
      await redis.eval(RENEW, 1, this.#lease, this.#token, 0);
    }
  }

  /** Returns what Redis has of the passes; times in ms. A pass that is to finish in the future was of a wrong clock. */
  async #read() {
    const { redis, clock } = this.#options;
    const [position, ...times] = await redis.hmget(this.#state, 'position', 'since', 'finishedAt');
    const now = (await clock.now()).getTime();
    const [since, finishedAt] = times.map((time) =>
      Number(time ?? Infinity) <= now ? Number(time) : undefined,
    );
    const isDue = position !== null || finishedAt === undefined || now - finishedAt >= DAY_MS;
    return { position, since, finishedAt, isDue };
  }

  async #pass(from: string, end: AbortSignal | undefined): Promise<void> {
    const { mongo, texts, clock, redis, days, log, stepSize = STEP_SIZE } = this.#options;
    const now = await clock.now();
    const before = new Date(now.getTime() - days * DAY_MS);
    const pause = () => delay(STEP_PAUSE_MS, undefined, { signal: end }).catch(() => {});
    let anonymised = 0;
    for await (const step of guideSteps(mongo, stepSize, from)) {
      anonymised += await anonymiseOlder(mongo, step, before, now);
      await redis.hset(this.#state, 'position', step.upTo);
      await pause();
      const leased = await redis.eval(RENEW, 1, this.#lease, this.#token, LEASE_MS);
      if (end?.aborted || leased !== 1) return; // another process goes on
    }
    // A day has few of them: they need no lease.
    for (const kind of [...texts.besideGuides, ...texts.ofAccounts]) {
      while ((await kind.anonymiseOlder(mongo, before, stepSize)) === stepSize) await pause();
    }
    const finishedAt = (await clock.now()).getTime();
    await redis.multi().hset(this.#state, { finishedAt }).hdel(this.#state, 'position').exec();
    log.info({ guides: anonymised }, `Retention anonymised ${anonymised} guides older than ${days} days`);
  }
}
