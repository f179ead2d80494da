import type { RedisClient } from './redis-client.ts';
import type { RedisClock } from './redis-clock.ts';

/**
 * What became of labels in each minute of the last two hours, for the dashboard's picture: a counter for each of the
 * outcomes and each minute, `{prefix}:label-count:<outcome>:<minutes since 1970>`, gone two hours later. Minutes are those of
 * Redis: the refusals of a process whose clock is ahead would show too late, as if all were well.
 *
 * BullMQ's own counts by minute (`metrics` of its Worker) do not tell: they have a dropped label as completed, know no
 * refusals, and lack the current minute.
 */

/**
 * `printed`: labels that a worker printed. `failed`, `refused` and `limited`: requests for labels that the api answered with
 * 500, with 503, and with 429, which is the limit of an account and no fault of the system.
 */
export const LABEL_OUTCOMES = ['printed', 'failed', 'refused', 'limited'] as const;
export type LabelOutcome = (typeof LABEL_OUTCOMES)[number];
/** The counts of a minute, which begins at `at`, in ms since 1970. */
export type MinuteCounts = Record<LabelOutcome, number> & { at: number };

const COUNTED_MINUTES = 120;
const MINUTE_MS = 60_000;
/** Time from the first count to the write, in ms: a flood of refusals costs Redis no more than one. */
const WRITE_MS = 1_000;

/** Counts in the process, and adds what it counted to Redis every second. */
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

  /** Writes what waits. While Redis is away, counts wait for the next write; a killed process loses those of a second. */
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
 * Reads the counts of the last two hours, the current minute last.
 *
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
