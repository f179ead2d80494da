import type { RedisClient } from './redis-client.ts';
import type { RedisClock } from './redis-clock.ts';

/**
 * How labels ended in each minute of the last two hours, for the dashboard: counters
 * `{prefix}:label-count:<outcome>:<minutes since 1970>`. Minutes are those of Redis, because a process whose clock is
 * ahead would show its refusals too late.
 * BullMQ's own counts by minute (`metrics` of its Worker) do not serve: they count a dropped label as completed, know
 * no refusals, and lack the current minute.
 */

/**
 * `printed`: labels that a worker printed. The others are requests that the api answered: `failed` with 500,
 * `refused` with 503, `limited` with 429 (a limit of the account, not a fault of the system).
 */
export const LABEL_OUTCOMES = ['printed', 'failed', 'refused', 'limited'] as const;
export type LabelOutcome = (typeof LABEL_OUTCOMES)[number];
/** `at`: the beginning of the minute, in ms since 1970. */
export type MinuteCounts = Record<LabelOutcome, number> & { at: number };

const COUNTED_MINUTES = 120;
const MINUTE_MS = 60_000;
/** So a flood of refusals costs Redis one write a second. */
const WRITE_MS = 1_000;

export class LabelCounts {
  readonly #redis: RedisClient;
  readonly #prefix: string;
  readonly #clock: Pick<RedisClock, 'now'>;
  #waiting = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(redis: RedisClient, prefix: string, clock: Pick<RedisClock, 'now'>) {
    this.#redis = redis;
    this.#prefix = prefix;
    this.#clock = clock;
  }

  count(outcome: LabelOutcome): void {
    this.#add(keyOf(this.#prefix, outcome, this.#clock.now()), 1);
  }

  /** Writes what was counted. While Redis is away, counts wait. A killed process loses the counts of a second. */
  async write(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const counts = this.#waiting;
    if (counts.size === 0) return;
    this.#waiting = new Map();
    const writes = this.#redis.multi();
    for (const [key, count] of counts) writes.incrby(key, count).expire(key, 60 * COUNTED_MINUTES);
    await writes.exec().catch(() => {
      for (const [key, count] of counts) this.#add(key, count);
    });
  }

  #add(key: string, count: number): void {
    this.#waiting.set(key, (this.#waiting.get(key) ?? 0) + count);
    this.#timer ??= setTimeout(() => void this.write(), WRITE_MS).unref();
  }
}

/**
 * Returns the counts of the last two hours, the current minute last.
 * @param now in ms since 1970, by the clock of Redis.
 */
export async function readLabelCounts(
  redis: RedisClient,
  prefix: string,
  now: number,
): Promise<MinuteCounts[]> {
  const current = Math.floor(now / MINUTE_MS) * MINUTE_MS;
  const minutes = Array.from(
    { length: COUNTED_MINUTES },
    (_, i) => current - (COUNTED_MINUTES - 1 - i) * MINUTE_MS,
  );
  const keys = minutes.flatMap((at) => LABEL_OUTCOMES.map((outcome) => keyOf(prefix, outcome, at)));
  const counts = (await redis.mget(keys)).map(Number);
  return minutes.map((at, i) => {
    const [printed = 0, failed = 0, refused = 0, limited = 0] = counts.slice(LABEL_OUTCOMES.length * i);
    return { at, printed, failed, refused, limited };
  });
}

function keyOf(prefix: string, outcome: LabelOutcome, at: number): string {
  return `${prefix}:label-count:${outcome}:${Math.floor(at / MINUTE_MS)}`;
}
