import { measureAhead } from '#shared/async/remote-clock.ts';
import { repeat } from '#shared/async/repeat.ts';
import type { RedisClient } from './redis-client.ts';

const MEASURE_MS = 1_000;

/**
 * The clock of a Redis, which all processes share. If each process placed labels in the line by its own clock, a
 * process that is two minutes ahead would have its labels last.
 */
export class RedisClock {
  readonly #redis: RedisClient;
  /** Redis's time minus `performance.now()`, in ms. Until Redis is asked, the time is this process's own. */
  #aheadMs = Date.now() - performance.now();
  #stop: (() => Promise<void>) | undefined;
  #isStopped = false;

  constructor(redis: RedisClient) {
    this.#redis = redis;
  }

  /** Asks Redis for its time, and again every second until `stop`. @throws while Redis does not answer. */
  async start(): Promise<void> {
    await this.#measure();
    if (this.#isStopped) return;
    // While Redis is away, the last measure holds.
    this.#stop ??= repeat(() => this.#measure(), { pauseMs: MEASURE_MS });
  }

  stop(): void {
    this.#isStopped = true;
    void this.#stop?.();
  }

  /** Returns the time in whole ms since 1970. */
  now(): number {
    return Math.round(performance.now() + this.#aheadMs);
  }

  async #measure(): Promise<void> {
    this.#aheadMs = await measureAhead(() => timeOf(this.#redis));
  }
}

/** Returns the time of Redis in whole ms since 1970. */
export async function timeOf(redis: Pick<RedisClient, 'time'>): Promise<number> {
  const [seconds, micros] = await redis.time();
  return 1_000 * Number(seconds) + Math.round(Number(micros) / 1_000);
}
