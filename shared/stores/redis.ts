import { Redis } from 'ioredis';
import type { HttpServer } from '#shared/http/http-server.ts';
import type { Logger } from '#shared/observability/logger.ts';
import { addGauge } from '#shared/observability/metrics.ts';

/**
 * Opens a service's connection for request/response work: it is a required dependency of the server, and closes with
 * it. `redis_noeviction` becomes a metric, read on every scrape, since an operator may change the policy at any time.
 *
 * The connection fails fast: while Redis is away a command is rejected at once instead of queueing without bound,
 * and a command that is not answered within 2 s is rejected too.
 *
 * @throws when Redis does not answer within 2 s.
 */
export async function openRedis(server: HttpServer, url: string): Promise<Redis> {
  const redis = await connectRedis(url, server.log);
  server.addHook('onClose', async () => redis.disconnect());
  server.dependencies.set('redis', { check: () => redis.ping(), required: true });
  addGauge(
    server.metrics,
    'redis_noeviction',
    '1 if maxmemory-policy is noeviction, 0 if a full Redis evicts jobs',
    async () => {
      const policy = await evictionPolicy(redis);
      return policy === undefined ? undefined : Number(policy === 'noeviction');
    },
  );
  return redis;
}

/**
 * Opens a connection for BullMQ's Worker and QueueEvents, or for a subscription; it closes with the server.
 *
 * These block on Redis and must survive its absence, so they wait and reconnect for ever (BullMQ demands
 * `maxRetriesPerRequest: null`).
 */
export function openBlockingRedis(server: HttpServer, url: string): Redis {
  const redis = new Redis(url, {
    maxRetriesPerRequest: null,
    connectTimeout: 2_000,
    retryStrategy,
    disableClientInfo: true,
  });
  redis.on('error', (err) => server.log.warn({ err }, 'The blocking connection to Redis failed'));
  server.addHook('onClose', async () => redis.disconnect());
  return redis;
}

async function connectRedis(url: string, log: Pick<Logger, 'warn' | 'error'>): Promise<Redis> {
  const redis = new Redis(url, {
    lazyConnect: true,
    enableOfflineQueue: false,
    commandTimeout: 2_000,
    connectTimeout: 2_000,
    maxRetriesPerRequest: 1,
    retryStrategy,
    // A service's user may not send CLIENT SETINFO, which Redis 7.0 does not have: no refusal fills Redis' ACL LOG.
    disableClientInfo: true,
    // Commands of one event-loop turn are one write: labels are stored and asked for by the batch.
    enableAutoPipelining: true,
  });
  redis.on('error', (err) => log.warn({ err }, 'The connection to Redis failed'));
  try {
    await redis.connect();
    await logEvictionPolicy(redis, log);
  } catch (error) {
    redis.disconnect();
    throw error;
  }
  return redis;
}

/** Quick at first, since a restart of Redis takes a second; never slower than one try a second. */
function retryStrategy(attempt: number): number {
  return Math.min(50 * attempt, 1_000);
}

/** With any policy but `noeviction` a full Redis silently drops jobs (BullMQ, "Going to production"). */
async function logEvictionPolicy(redis: Redis, log: Pick<Logger, 'error'>): Promise<void> {
  const policy = await evictionPolicy(redis);
  if (policy && policy !== 'noeviction') {
    log.error({ policy }, 'Redis may drop jobs when it is full: set its maxmemory-policy to noeviction');
  }
}

/** Returns undefined where CONFIG is forbidden, as managed Redis often does. */
async function evictionPolicy(redis: Redis): Promise<string | undefined> {
  const pair = await redis.config('GET', 'maxmemory-policy').catch(() => undefined);
  return (pair as string[] | undefined)?.[1];
}
