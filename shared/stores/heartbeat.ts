import { Ajv } from 'ajv';
import { type Static, Type } from 'typebox';
import type { RedisClient } from '#shared/stores/redis-client.ts';

/**
 * Which processes are alive, and what each of them reaches, in the Redis of the queue. Each process writes its state every
 * five seconds; the dashboard reads all of them, the api those of label workers.
 *
 * | key | value |
 * |---|---|
 * | `{prefix}:worker:<id>` | a `WorkerHeartbeat` as JSON; expires 15 s after the last one, deleted when the worker closes |
 * | `{prefix}:workers` | sorted set of ids by the time of their last heartbeat; some of them may be dead |
 * | `{prefix}:service:<id>`, `{prefix}:services` | the same of the other services: a `ServiceHeartbeat` |
 *
 * Redis decides by its own clock who is alive. The api goes by the keys of label workers, which no other service may write.
 */

/** Time between two heartbeats. A process counts as dead after three missing ones. */
export const HEARTBEAT_MS = 5_000;
const HEARTBEAT_TTL_S = 15;
/** Most processes that are kept and read, because processes that crash and restart would leave ever more ids. */
const MAX_PROCESSES = 200;

/** `read-only`: the store answers, but refuses writes. */
const DependencyState = Type.Enum(['ok', 'read-only', 'down']);
export type DependencyState = Static<typeof DependencyState>;

/** Times in ms since 1970, by the clock of Redis. */
const heartbeat = {
  id: Type.String(),
  host: Type.String(),
  pid: Type.Integer(),
  startedAt: Type.Integer(),
  /** When it was written. Processes of 1.3.0 leave it and `dependencies` out. */
  at: Type.Optional(Type.Integer()),
  /** By the names of `/health/ready`. */
  dependencies: Type.Optional(Type.Record(Type.String(), DependencyState)),
};

export const ServiceHeartbeat = Type.Object({
  ...heartbeat,
  service: Type.Enum(['api', 'branches', 'webhooks']),
});
export type ServiceHeartbeat = Static<typeof ServiceHeartbeat>;

export const WorkerHeartbeat = Type.Object({
  ...heartbeat,
  /** Labels printed since `startedAt`. */
  labels: Type.Integer(),
  /** `since`: when it started, or since when it is missing. `memoryBytes`: private memory of all its processes. */
  chromium: Type.Object({
    state: Type.Enum(['running', 'starting', 'failed']),
    since: Type.Integer(),
    prints: Type.Integer(),
    memoryBytes: Type.Optional(Type.Integer()),
  }),
  /** By kind. */
  templates: Type.Record(Type.String(), Type.String()),
  /** Whether the Redis of the labels makes room when it is full; absent if unknown. */
  labelCacheEvicts: Type.Optional(Type.Boolean()),
});
export type WorkerHeartbeat = Static<typeof WorkerHeartbeat>;

export type Heartbeat = ServiceHeartbeat | WorkerHeartbeat;
export type OwnDetails<Kind extends Heartbeat> = Omit<Kind, keyof typeof heartbeat>;

const ajv = new Ajv();
const isService = ajv.compile<ServiceHeartbeat>(ServiceHeartbeat);
const isWorker = ajv.compile<WorkerHeartbeat>(WorkerHeartbeat);

/** Writes a heartbeat. Call it every `HEARTBEAT_MS`. */
export async function writeHeartbeat(redis: RedisClient, prefix: string, state: Heartbeat): Promise<void> {
  const { ids, key } = keysOf(prefix, state);
  await redis
    .multi()
    .set(key, JSON.stringify(state), 'EX', HEARTBEAT_TTL_S)
    .zadd(ids, state.at ?? 0, state.id)
    .zremrangebyrank(ids, 0, -MAX_PROCESSES - 1)
    .expire(ids, HEARTBEAT_TTL_S)
    .exec();
}

/** Removes a heartbeat, so that a process that closes counts as dead at once. */
export async function removeHeartbeat(
  redis: RedisClient,
  prefix: string,
  state: Pick<Heartbeat, 'id'> & { service?: string },
): Promise<void> {
  const { ids, key } = keysOf(prefix, state);
  await redis.multi().del(key).zrem(ids, state.id).exec();
}

/** Returns the label workers that are alive, the longest-serving first. Skips a value that is not a heartbeat. */
export function aliveWorkers(redis: RedisClient, prefix: string): Promise<WorkerHeartbeat[]> {
  return alive(redis, `${prefix}:worker`, isWorker);
}

export function aliveServices(redis: RedisClient, prefix: string): Promise<ServiceHeartbeat[]> {
  return alive(redis, `${prefix}:service`, isService);
}

async function alive<Kind extends Heartbeat>(
  redis: RedisClient,
  family: string,
  isKind: (value: unknown) => value is Kind,
): Promise<Kind[]> {
  const ids = await redis.zrevrange(`${family}s`, 0, MAX_PROCESSES - 1);
  if (ids.length === 0) return [];
  const texts = await redis.mget(ids.map((id) => `${family}:${id}`));
  return texts
    .filter((text) => text !== null)
    .map((text): unknown => JSON.parse(text))
    .filter(isKind)
    .sort((one, other) => one.startedAt - other.startedAt);
}

function keysOf(prefix: string, state: { id: string; service?: string }): { ids: string; key: string } {
  const family = `${prefix}:${state.service === undefined ? 'worker' : 'service'}`;
  return { ids: `${family}s`, key: `${family}:${state.id}` };
}
