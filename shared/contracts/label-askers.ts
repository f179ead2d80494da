import type { RedisClient } from '#shared/stores/redis-client.ts';

/**
 * The ids of requests that wait for a label which another request had asked for before, in Redis by the label's key: the
 * api writes, the worker logs them. Those of a label that nobody else asks for cost nothing to write.
 */

/** Most ids that are kept of a label. */
export const MAX_ASKERS = 64;
/** Longer than a label is waited for (`LABEL_TIMEOUT_MS`), in seconds; then its log lacks them. */
const KEPT_S = 60;

/** Adds requests to those that wait for a label. */
export async function addAskers(
  redis: RedisClient,
  prefix: string,
  key: string,
  requestIds: readonly string[],
): Promise<void> {
  const list = askersKey(prefix, key);
  await redis
    .multi()
    .rpush(list, ...requestIds)
    .ltrim(list, 0, MAX_ASKERS - 1)
    .expire(list, KEPT_S)
    .exec();
}

/** Returns the requests that waited for a label, and forgets them. */
export async function takeAskers(redis: RedisClient, prefix: string, key: string): Promise<string[]> {
  return (await redis.lpop(askersKey(prefix, key), MAX_ASKERS)) ?? [];
}

function askersKey(prefix: string, key: string): string {
  return `${prefix}:label-askers:${key}`;
}
