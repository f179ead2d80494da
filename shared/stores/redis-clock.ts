import type { RedisClient } from './redis-client.ts';

const MEASURE_MS = 1_000;

/**
 * The clock of a Redis: one clock for processes whose own clocks differ. A place in the line by each process's own clock would
 * put all labels of a process that is two minutes ahead behind those of the others.
 */
export class RedisClock {
  readonly #redis: RedisClient;
  /** What Redis's time is ahead of `performance.now()`, in ms; by the own clock until Redis was asked. */
  #aheadMs = Date.now() - performance.now();
  #timer: NodeJS.Timeout | undefined;

  constructor(redis: RedisClient) {
    this.#redis = redis;
  }

  /** Asks Redis for its time, then again every second until `stop`. @throws while Redis does not answer. */
  async start(): Promise<void> {
    await this.#measure();
    // While Redis is away, the last measure holds.
    this.#timer ??= setInterval(() => void this.#measure().catch(() => {}), MEASURE_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Returns the time in whole ms since 1970. */
  now(): number {
    return Math.round(performance.now() + this.#aheadMs);
  }

  async #measure(): Promise<void> {
    const asked = performance.now();
    const time = await timeOf(this.#redis);
    // Redis answered in the middle between question and answer.
    this.#aheadMs = time - (asked + performance.now()) / 2;
  }
}

/** Asks Redis for its time, in whole ms since 1970. */
export async function timeOf(redis: Pick<RedisClient, 'time'>): Promise<number> {
  const [seconds, micros] = await redis.time();
  return 1_000 * Number(seconds) + Math.round(Number(micros) / 1_000);
}
