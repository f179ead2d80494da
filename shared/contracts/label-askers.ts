import type { RedisClient } from '#shared/stores/redis-client.ts';

/**
 * The requests that wait for a label which another request had asked for before, in Redis by the label's key: the api
 * writes them; the worker logs their ids, and tells their api processes when the label is printed. Those of a label that
 * nobody else asks for cost nothing to write.
 */

/** A request that waits, and the api process that has it. */
export type LabelAsker = { requestId: string; process: string };

/** Most askers that are kept of a label. */
export const MAX_ASKERS = 64;
/** Longer than any label is waited for, in seconds. */
const KEPT_S = 60;

/**
 * Adds the first request of an api process that waits for another process's label. It goes before all further requests, so
 * that each process is told, however many requests wait.
 */
export async function addProcess(
  redis: RedisClient,
  prefix: string,
  key: string,
  asker: LabelAsker,
): Promise<void> {
  const list = askersKey(prefix, key);
  await redis
    .multi()
    .lpush(list, entryOf(asker))
    .ltrim(list, 0, MAX_ASKERS - 1)
    .expire(list, KEPT_S)
    .exec();
}

/** Adds further requests, for the log. */
export async function addAskers(
  redis: RedisClient,
  prefix: string,
  key: string,
  askers: readonly LabelAsker[],
): Promise<void> {
  const list = askersKey(prefix, key);
  await redis
    .multi()
    .rpush(list, ...askers.map(entryOf))
    .ltrim(list, 0, MAX_ASKERS - 1)
    .expire(list, KEPT_S)
    .exec();
}

/** Returns the requests that waited for a label, and forgets them. */
export async function takeAskers(redis: RedisClient, prefix: string, key: string): Promise<LabelAsker[]> {
  const list = askersKey(prefix, key);
  const askers = await redis.lrange(list, 0, -1);
  if (askers.length > 0) await redis.del(list);
  return askers.map((entry) => {
    const [process = '', ...requestId] = entry.split(' ');
    return { process, requestId: requestId.join(' ') };
  });
}

/** The id of a process has no blank. */
function entryOf({ process, requestId }: LabelAsker): string {
  return `${process} ${requestId}`;
}

function askersKey(prefix: string, key: string): string {
  return `${prefix}:label-askers:${key}`;
}
