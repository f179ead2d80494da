import type { Registry } from 'prom-client';
import { repeat } from '#shared/async/repeat.ts';
import { SingleFlight } from '#shared/async/single-flight.ts';
import { FailureLog } from '#shared/observability/failure-log.ts';
import type { Logger } from '#shared/observability/logger.ts';
import { addGauge } from '#shared/observability/metrics.ts';
import { type ConnectionOwner, RefusesWrites } from './dependencies.ts';
import { createRedisClient, type RedisClient } from './redis-client.ts';
import { evicts, type RedisState, readRedisState, writeCheckKey } from './redis-state.ts';
import { explainOutage, isRefusedWrite } from './transient-errors.ts';

const CHECK_TTL_S = 60;
/** Time between two pings of a connection that only listens. */
const PING_MS = 1_000;

/**
 * Opens a service's connection for request/response work, a required dependency. While Redis is away a command is
 * rejected at once, and a command without an answer after 2 s is rejected too. The health check writes, because a
 * full Redis still answers PING.
 * @param prefix of all keys.
 */
export function openRedis(server: ConnectionOwner, url: string, prefix: string): RedisClient {
  const redis = connectRedis(url, server);
  server.startup.connect('Redis', async () => {
    await whenReady(redis);
    await logEvictionPolicy(redis, server.log);
  });
  server.dependencies.set('redis', { check: () => checkWrite(redis, prefix), required: true });
  addRedisGauges(server.metrics, redis);
  return redis;
}

/**
 * Opens a Redis that the service does not need to become ready. Its check writes, as that of `openRedis` does.
 * @param name by which health and metrics know it.
 */
export function openOptionalRedis(
  server: ConnectionOwner,
  url: string,
  prefix: string,
  name = 'redis',
): RedisClient {
  const redis = connectRedis(url, server, ` (${name})`);
  server.dependencies.set(name, { check: () => checkWrite(redis, prefix), required: false });
  return redis;
}

/**
 * Opens the Redis of the finished labels. Without it labels are refused, and all else works. A log line and a metric warn
 * of `noeviction`, the policy of an unconfigured Redis, which refuses labels once it is full.
 */
export function openLabelCache(server: ConnectionOwner, url: string, prefix: string): RedisClient {
  const redis = openOptionalRedis(server, url, prefix, 'label-cache');
  redis.on('ready', () => void logMissingEviction(redis, server.log).catch(() => {}));
  addGauge(
    server.metrics,
    'label_cache_evicts',
    '1 if the Redis of the labels makes room when it is full, 0 if it refuses labels then (noeviction)',
    async () => {
      const makesRoom = evicts(await readRedisState(redis));
      return makesRoom === undefined ? undefined : Number(makesRoom);
    },
  );
  return redis;
}

/** Opens a connection for BullMQ's Worker, which waits and reconnects for ever. */
export function openBlockingRedis(server: ConnectionOwner, url: string): RedisClient {
  const redis = createRedisClient(url, 'waits');
  watch(redis, server, 'The blocking connection to Redis');
  return redis;
}

/**
 * Opens a connection for messages of channels. ioredis subscribes to all of them again when it reconnects. A ping
 * every second keeps the connection from being silent, so that a dead server is noticed.
 */
export function openSubscriberRedis(server: ConnectionOwner, url: string): RedisClient {
  const redis = createRedisClient(url, 'subscribes');
  watch(redis, server, 'The subscriber connection to Redis');
  const stop = repeat(() => redis.ping(), { pauseMs: PING_MS });
  server.addHook('onClose', async () => void stop());
  return redis;
}

function connectRedis(url: string, server: ConnectionOwner, which = ''): RedisClient {
  const redis = createRedisClient(url, 'fails-fast');
  watch(redis, server, `The connection to Redis${which}`);
  return redis;
}

/**
 * Logs failures of a connection, and closes the connection with the server. A connection that was never open closes first,
 * because BullMQ's `close` waits for it.
 */
function watch(redis: RedisClient, server: ConnectionOwner, name: string): void {
  const log = new FailureLog(server.log, {
    failed: (err) => `${name} failed: ${explainOutage(err)}`,
    recovered: `${name} is open again`,
  });
  let opened = false;
  redis.on('error', (err) => log.failed(err));
  redis.on('sentinelError', (err) => log.failed(err));
  redis.on('reconnecting', () => {
    if (!log.isFailing) log.failed(new Error('the other side has closed it'));
  });
  redis.on('ready', () => {
    opened = true;
    log.succeeded();
  });
  server.addHook('preClose', async () => {
    if (!opened) redis.disconnect();
  });
  server.addHook('onClose', async () => redis.disconnect());
}

async function whenReady(redis: RedisClient): Promise<void> {
  if (redis.status !== 'ready') await new Promise((resolve) => redis.once('ready', resolve));
}

/** @throws RefusesWrites if Redis answers but refuses to write; any other error if Redis does not answer. */
async function checkWrite(redis: RedisClient, prefix: string): Promise<void> {
  await redis.set(writeCheckKey(prefix), '1', 'EX', CHECK_TTL_S).catch((cause: Error) => {
    throw isRefusedWrite(cause) ? new RefusesWrites(cause.message, { cause }) : cause;
  });
}

/** Gauges are read on every scrape, because an operator may change policy and limit at any time. */
function addRedisGauges(metrics: Registry, redis: RedisClient): void {
  const reading = new SingleFlight<RedisState>(); // all gauges of a scrape ask at once
  const add = (name: string, help: string, read: (state: RedisState) => number | undefined) =>
    addGauge(metrics, name, help, async () => read(await reading.run(() => readRedisState(redis))));
  add('redis_noeviction', '1 if maxmemory-policy is noeviction, 0 if a full Redis evicts jobs', (state) =>
    Number(state.noeviction),
  );
  add('redis_used_bytes', 'Memory that Redis uses', ({ usedBytes }) => usedBytes);
  add(
    'redis_max_bytes',
    'Memory that Redis may use (maxmemory); absent without a limit',
    ({ maxBytes }) => maxBytes || undefined,
  );
  add('redis_disk_write_failed', '1 if the last write of Redis to its disk failed', ({ writesFail }) =>
    Number(writesFail),
  );
}

/** With any policy but `noeviction` a full Redis silently drops jobs (BullMQ, "Going to production"). */
async function logEvictionPolicy(redis: RedisClient, log: Pick<Logger, 'error'>): Promise<void> {
  const { noeviction, policy } = await readRedisState(redis);
  if (!noeviction) {
    log.error({ policy }, 'Redis may drop jobs when it is full: set its maxmemory-policy to noeviction');
  }
}

async function logMissingEviction(redis: RedisClient, log: Pick<Logger, 'error'>): Promise<void> {
  const state = await readRedisState(redis);
  if (evicts(state) !== false) return;
  log.error(
    { policy: state.policy },
    'The Redis of the labels refuses labels when it is full: set its maxmemory-policy to allkeys-lru',
  );
}
