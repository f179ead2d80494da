import { Redis } from 'ioredis';
import type { Registry } from 'prom-client';
import type { Logger } from '#shared/observability/logger.ts';
import { addGauge } from '#shared/observability/metrics.ts';

/**
 * Connection for request/response work. It fails fast: while Redis is away a command is rejected at once
 * instead of queueing without bound, and one that is not answered in time is rejected too.
 *
 * @returns a connection that is ready.
 */
export async function connectRedis(url: string, log: Logger): Promise<Redis> {
  const redis = new Redis(url, {
    lazyConnect: true,
    enableOfflineQueue: false,
    commandTimeout: 2_000,
    connectTimeout: 2_000,
    maxRetriesPerRequest: 1,
    retryStrategy,
    // Commands of the same moment go out in one write: labels are done, and asked for, by the batch.
    enableAutoPipelining: true,
  });
  redis.on('error', (error) => log.warn({ err: error }, 'redis connection'));
  await redis.connect();
  await warnOfEviction(redis, log);
  return redis;
}

/**
 * Connection for BullMQ's worker and QueueEvents: they block on Redis and must survive its absence, so they
 * wait and reconnect for ever (BullMQ demands `maxRetriesPerRequest: null`).
 */
export function blockingRedis(url: string, log: Logger): Redis {
  const redis = new Redis(url, { maxRetriesPerRequest: null, connectTimeout: 2_000, retryStrategy });
  redis.on('error', (error) => log.warn({ err: error }, 'redis connection'));
  return redis;
}

/** Quick at first, since a restart of Redis takes a second; never slower than one try a second. */
function retryStrategy(attempt: number): number {
  return Math.min(50 * attempt, 1_000);
}

/** `redis_noeviction`, asked on every scrape: somebody may change it while we run. */
export function measureEviction(redis: Redis, metrics: Registry): void {
  addGauge(
    metrics,
    'redis_noeviction',
    '1 where a full Redis refuses writes, 0 where it drops jobs',
    async () => {
      const policy = await evictionPolicy(redis);
      return policy === undefined ? undefined : Number(policy === 'noeviction');
    },
  );
}

/** With any other policy a full Redis silently drops jobs (BullMQ, "Going to production"). */
async function warnOfEviction(redis: Redis, log: Logger): Promise<void> {
  const policy = await evictionPolicy(redis);
  if (policy && policy !== 'noeviction') {
    log.error({ policy }, 'Redis may drop jobs: set maxmemory-policy to noeviction');
  }
}

/** @returns undefined where CONFIG is forbidden, as managed Redis often does. */
async function evictionPolicy(redis: Redis): Promise<string | undefined> {
  const pair = await redis.config('GET', 'maxmemory-policy').catch(() => undefined);
  return (pair as string[] | undefined)?.[1];
}
