import type { Logger } from '#shared/observability/logger.ts';
import type { RedisClient } from '#shared/stores/redis-client.ts';
import { readRedisState } from '#shared/stores/redis-state.ts';

/**
 * How often the limit of Redis is read, in ms. Until then a limit that an operator has lowered below what is used leaves
 * no room for logins.
 */
const INTERVAL_MS = 5_000;
/** Share of Redis' memory that finished labels may have; the queue, counters and sessions have the rest. */
const SHARE = 0.5;

/**
 * Returns the budget of a shard's finished labels: `most` bytes, but never more than half of what Redis may use, or the
 * shard's part of that half. It is read anew every five seconds; while Redis does not answer, the last budget holds.
 *
 * @param shards how many of them have their finished labels there.
 */
export function labelBudget(
  { redis, prefix, shards }: { redis: RedisClient; prefix: string; shards: number },
  most: number,
  log: Pick<Logger, 'info' | 'warn'>,
) {
  let bytes = most;
  async function read(): Promise<void> {
    const { maxBytes } = await readRedisState(redis, prefix);
    const before = bytes;
    bytes = maxBytes > 0 ? Math.min(most, Math.floor((SHARE * maxBytes) / shards)) : most;
    if (bytes !== before) log.info({ bytes, maxBytes }, 'The budget of finished labels has changed');
  }
  return {
    bytes: () => bytes,
    /** To be called before the first label is stored. @throws when Redis does not answer. */
    read,
    /** Reads the budget every five seconds, and then calls `then`. @returns what ends that. */
    watch(then: () => Promise<void>): () => void {
      const timer = setInterval(() => {
        read()
          .then(then)
          .catch((err) => log.warn({ err }, 'The budget of finished labels could not be read'));
      }, INTERVAL_MS);
      return () => clearInterval(timer);
    },
  };
}
