import { Ajv } from 'ajv';
import { type Static, Type } from 'typebox';
import type { RedisClient } from '#shared/stores/redis-client.ts';

/**
 * Which label workers are alive, in Redis. Each worker writes its state every five seconds; the dashboard and the api
 * read it.
 *
 * | key | value |
 * |---|---|
 * | `{prefix}:worker:<id>` | a `WorkerHeartbeat` as JSON; expires 15 s after the last one, deleted when the worker closes |
 * | `{prefix}:workers` | sorted set of ids by the time of their last heartbeat; some of them may be dead |
 */

/** How often a worker writes, in ms; a worker counts as dead after three missing heartbeats. */
export const HEARTBEAT_MS = 5_000;
const HEARTBEAT_TTL_S = 15;
/** Most workers that are kept and read: workers that crash and restart again and again would leave ever more ids. */
const MAX_WORKERS = 200;

/** A worker's state. Times in ms since 1970, by the worker's clock. */
export const WorkerHeartbeat = Type.Object({
  id: Type.String(),
  host: Type.String(),
  pid: Type.Integer(),
  startedAt: Type.Integer(),
  /** Labels printed since `startedAt`. */
  labels: Type.Integer(),
  /** `since`: when it was up, or since when there is none. `memoryBytes`: private, of all its processes. */
  chromium: Type.Object({
    state: Type.Enum(['running', 'starting', 'failed']),
    since: Type.Integer(),
    prints: Type.Integer(),
    memoryBytes: Type.Optional(Type.Integer()),
  }),
  /** Version of the template of each kind. */
  templates: Type.Record(Type.String(), Type.String()),
});
export type WorkerHeartbeat = Static<typeof WorkerHeartbeat>;

const isHeartbeat = new Ajv().compile<WorkerHeartbeat>(WorkerHeartbeat);

/** Writes a worker's state; to be called every `HEARTBEAT_MS`. */
export async function writeHeartbeat(
  redis: RedisClient,
  prefix: string,
  worker: WorkerHeartbeat,
): Promise<void> {
  const ids = idsKey(prefix);
  await redis
    .multi()
    .set(workerKey(prefix, worker.id), JSON.stringify(worker), 'EX', HEARTBEAT_TTL_S)
    .zadd(ids, Date.now(), worker.id)
    .zremrangebyrank(ids, 0, -MAX_WORKERS - 1)
    .expire(ids, HEARTBEAT_TTL_S)
    .exec();
}

/** Removes a worker that closes, so that it counts as dead at once. */
export async function removeHeartbeat(redis: RedisClient, prefix: string, id: string): Promise<void> {
  await redis.multi().del(workerKey(prefix, id)).zrem(idsKey(prefix), id).exec();
}

/** Reads the workers that are alive, the longest-serving first; a value that is not a heartbeat is skipped. */
export async function aliveWorkers(redis: RedisClient, prefix: string): Promise<WorkerHeartbeat[]> {
  const ids = await redis.zrevrange(idsKey(prefix), 0, MAX_WORKERS - 1);
  if (ids.length === 0) return [];
  const texts = await redis.mget(ids.map((id) => workerKey(prefix, id)));
  return texts
    .filter((text) => text !== null)
    .map((text): unknown => JSON.parse(text))
    .filter((worker) => isHeartbeat(worker))
    .sort((one, other) => one.startedAt - other.startedAt);
}

function workerKey(prefix: string, id: string): string {
  return `${prefix}:worker:${id}`;
}

function idsKey(prefix: string): string {
  return `${prefix}:workers`;
}
