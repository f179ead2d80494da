import { Ajv } from 'ajv';
import type { Redis } from 'ioredis';
import { type Static, Type } from 'typebox';

/**
 * Which label workers are alive, in Redis: each worker writes how it is every five seconds, the dashboard reads.
 *
 * | key | value |
 * |---|---|
 * | `{prefix}:worker:<id>` | a `WorkerHeartbeat` as JSON; gone 15 s after the last one, or at once when it closes |
 * | `{prefix}:workers` | sorted set of ids by the time of their last heartbeat, also of some that are gone |
 */

/** How often a worker writes, in ms; after three that did not come it counts as dead. */
export const HEARTBEAT_MS = 5_000;
const DEAD_AFTER_S = 15;
/** More ids are neither kept nor read. */
const MOST_WORKERS = 200;

/** Times in ms since 1970, by the worker's clock. */
export const WorkerHeartbeat = Type.Object({
  id: Type.String(),
  host: Type.String(),
  pid: Type.Integer(),
  startedAt: Type.Integer(),
  /** Labels printed since then. */
  labels: Type.Integer(),
  /** Null while there is none. `residentBytes`: of all its processes; 0 where the system does not tell. */
  chromium: Type.Union([
    Type.Null(),
    Type.Object({ startedAt: Type.Integer(), prints: Type.Integer(), residentBytes: Type.Integer() }),
  ]),
});
export type WorkerHeartbeat = Static<typeof WorkerHeartbeat>;

const isHeartbeat = new Ajv().compile<WorkerHeartbeat>(WorkerHeartbeat);

export async function writeHeartbeat(redis: Redis, prefix: string, worker: WorkerHeartbeat): Promise<void> {
  const ids = idsKey(prefix);
  await redis
    .multi()
    .set(workerKey(prefix, worker.id), JSON.stringify(worker), 'EX', DEAD_AFTER_S)
    .zadd(ids, Date.now(), worker.id)
    .zremrangebyrank(ids, 0, -MOST_WORKERS - 1)
    .expire(ids, DEAD_AFTER_S)
    .exec();
}

export async function removeHeartbeat(redis: Redis, prefix: string, id: string): Promise<void> {
  await redis.multi().del(workerKey(prefix, id)).zrem(idsKey(prefix), id).exec();
}

/** The workers that are alive, the longest-serving first. */
export async function aliveWorkers(redis: Redis, prefix: string): Promise<WorkerHeartbeat[]> {
  const ids = await redis.zrevrange(idsKey(prefix), 0, MOST_WORKERS - 1);
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
