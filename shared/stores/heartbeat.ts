import { Ajv } from 'ajv';
import { type Static, Type } from 'typebox';
import { OWN_DATA } from '#shared/errors/own-data.ts';
import type { RedisClient } from '#shared/stores/redis-client.ts';

/**
 * Which processes are alive, and what each of them reaches, in the Redis of the queue. Each process writes its state every
 * two seconds; the dashboard reads all of them, the api those of label workers.
 *
 * | key | value |
 * |---|---|
 * | `{prefix}:worker:<id>` | a `WorkerHeartbeat` as JSON; expires 7 s after the last one, deleted when the worker closes |
 * | `{prefix}:workers` | sorted set of ids by the time of their last heartbeat; some of them may be dead |
 * | `{prefix}:worker:seen` | sorted set of `<service> <id> <pid> <host>` by the same time, for ten minutes. It names who died without a goodbye |
 * | `{prefix}:service:<id>`, `{prefix}:services`, `{prefix}:service:seen` | the same of the other services: a `ServiceHeartbeat` |
 *
 * Redis decides by its own clock who is alive. The api goes by the keys of label workers, which no other service may write.
 */

/**
 * Time between two heartbeats, which is up to a second longer while a dependency hangs. A process counts as dead after three
 * missing ones. "Estado" then names it within ten seconds. With less, a busy machine would raise false alarms.
 */
export const HEARTBEAT_MS = 2_000;
export const HEARTBEAT_TTL_S = 7;
/** Time between two entries of a process in MongoDB (`process-registry.ts`). */
export const REGISTER_MS = 5_000;
/** How long a process is remembered that gives no sign and did not close. */
const SEEN_S = 600;
export const LOST_MS = 1_000 * SEEN_S;
/** Most processes that are kept and read, because processes that crash and restart would leave ever more ids. */
const MAX_PROCESSES = 200;

/** `read-only`: the store answers, but refuses writes. */
const DependencyState = Type.Enum(['ok', 'read-only', 'down']);
export type DependencyState = Static<typeof DependencyState>;

/** What became of an action's last requests in a process. Times in ms since 1970, by the clock of Redis. */
export const ActionReport = Type.Object({
  lastOk: Type.Optional(Type.Integer()),
  /** When one failed or was refused. */
  lastNotOk: Type.Optional(Type.Integer()),
  /** Absent once enough requests in a row were well, and half an hour after the last failure. */
  failing: Type.Optional(
    Type.Object({
      since: Type.Integer(),
      /** Since then. */
      notOk: Type.Integer(),
      all: Type.Integer(),
      /** Of the last twenty requests, or of all if there were fewer; of the last three if they all failed. */
      lastNotOk: Type.Integer(),
      lastAll: Type.Integer(),
      /** What the last failure was answered with. */
      codigo: Type.String(),
      /** When the last of the failed requests began. */
      lastBegan: Type.Integer(),
    }),
  ),
});
export type ActionReport = Static<typeof ActionReport>;

/** Times in ms since 1970, by the clock of Redis. */
const heartbeat = {
  id: Type.String(),
  host: Type.String(),
  pid: Type.Integer(),
  startedAt: Type.Integer(),
  /** When it was written. */
  at: Type.Integer(),
  /** How far the clock of the process is ahead of that of Redis, in ms. */
  clockAheadMs: Type.Number(),
  /** By the names of `/health/ready`. */
  dependencies: Type.Record(Type.String(), DependencyState),
  /** Those that answer, and refuse this process. In `dependencies` they are `down`. */
  refusedBy: Type.Optional(Type.Array(Type.String())),
  /** Those whose disk is full. In `dependencies` they are `read-only`. */
  fullDisks: Type.Optional(Type.Array(Type.String())),
  /** Those that anybody can read. In `dependencies` they are `down`. */
  publicStores: Type.Optional(Type.Array(Type.String())),
};

/** An index that MongoDB does not have. */
const MissingIndex = Type.Object({
  collection: Type.String(),
  index: Type.String(),
  isUnique: Type.Boolean(),
  /** The `_id` of two documents with the same value, for which it cannot be built; absent if they are not the reason, or unknown. */
  duplicates: Type.Optional(Type.Array(Type.String())),
});
export type MissingIndex = Static<typeof MissingIndex>;

/**
 * How the last request of an account for an action ended, `at` in ms since 1970, by the clock of Redis. `codigo` and `data` are absent
 * if it was served.
 */
export const AccountOutcome = Type.Object({
  account: Type.String(),
  at: Type.Integer(),
  codigo: Type.Optional(Type.String()),
  data: Type.Optional(Type.Enum([...OWN_DATA])),
});
export type AccountOutcome = Static<typeof AccountOutcome>;

/** Branches or coverage in MongoDB. `rows` and `at`, in ms since 1970, are of the load; absent if it was before 1.8.1. */
export const DatasetReport = Type.Object({
  found: Type.Integer(),
  rows: Type.Optional(Type.Integer()),
  at: Type.Optional(Type.Integer()),
});

export const ServiceHeartbeat = Type.Object({
  ...heartbeat,
  service: Type.Enum(['api', 'branches', 'webhooks']),
  /** Of the api: the accounts with most requests refused with 429 in the last minute, the highest count first. */
  limited: Type.Optional(Type.Array(Type.Object({ account: Type.String(), refused: Type.Integer() }))),
  /** By `UserAction`: those that the process answers. */
  actions: Type.Optional(Type.Record(Type.String(), ActionReport)),
  /** Of the api. */
  missingIndexes: Type.Optional(Type.Array(MissingIndex)),
  /** Of branches: what is loaded, each absent before its first load. */
  directory: Type.Optional(
    Type.Object({ branches: Type.Optional(DatasetReport), coverage: Type.Optional(DatasetReport) }),
  ),
  /** Of the api: by `UserAction`, how the last requests of some accounts ended. */
  accounts: Type.Optional(Type.Record(Type.String(), Type.Array(AccountOutcome))),
  /** Of the api: when the tariff in force was loaded, in ms since 1970, and by whom. Absent without one. */
  tariffLoad: Type.Optional(Type.Object({ at: Type.Integer(), by: Type.String() })),
  /** Of the api: that it puts marks on labels; absent if it would leave them out. */
  marks: Type.Optional(Type.Literal(true)),
  /** Fingerprints of what processes must have in common (`shared-settings.ts`). */
  settings: Type.Record(Type.String(), Type.Array(Type.String())),
});
export type ServiceHeartbeat = Static<typeof ServiceHeartbeat>;

/** What a worker printed and could have printed in the last minute, in labels a minute. */
export const PrintCapacity = Type.Object({
  perMinute: Type.Number(),
  mostPerMinute: Type.Number(),
  /** Whether it is at least so many: its batches were not full, and full ones cost less a label. */
  isLeast: Type.Boolean(),
});
export type PrintCapacity = Static<typeof PrintCapacity>;

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
  /** Absent if the worker knows no marks (docs/labels.md "Marks"). */
  marks: Type.Optional(Type.Literal(true)),
  /** Whether the Redis of the labels makes room when it is full; absent if unknown. */
  labelCacheEvicts: Type.Optional(Type.Boolean()),
  /** Null in its first minute, and if it printed few labels in the last one. */
  capacity: Type.Union([PrintCapacity, Type.Null()]),
});
export type WorkerHeartbeat = Static<typeof WorkerHeartbeat>;

export type Heartbeat = ServiceHeartbeat | WorkerHeartbeat;
export type OwnDetails<Kind extends Heartbeat> = Omit<Kind, keyof typeof heartbeat>;

const ajv = new Ajv({ validateSchema: false });
const isService = ajv.compile<ServiceHeartbeat>(ServiceHeartbeat);
const isWorker = ajv.compile<WorkerHeartbeat>(WorkerHeartbeat);

/** Writes a heartbeat. Call it every `HEARTBEAT_MS`. */
export async function writeHeartbeat(redis: RedisClient, prefix: string, state: Heartbeat): Promise<void> {
  const { ids, key, seen } = keysOf(prefix, state);
  await redis
    .multi()
    .set(key, JSON.stringify(state), 'EX', HEARTBEAT_TTL_S)
    .zadd(ids, state.at, state.id)
    .zremrangebyrank(ids, 0, -MAX_PROCESSES - 1)
    .expire(ids, HEARTBEAT_TTL_S)
    .zadd(seen, state.at, nameOf(state))
    .zremrangebyrank(seen, 0, -MAX_PROCESSES - 1)
    .expire(seen, SEEN_S)
    .exec();
}

/** Removes a heartbeat, so that a process that closes counts as dead at once. */
export async function removeHeartbeat(
  redis: RedisClient,
  prefix: string,
  state: Pick<Heartbeat, 'id' | 'host' | 'pid'> & { service?: string },
): Promise<void> {
  const { ids, key, seen } = keysOf(prefix, state);
  await redis.multi().del(key).zrem(ids, state.id).zrem(seen, nameOf(state)).exec();
}

/** Returns the label workers that are alive, the longest-serving first. Skips a value that is not a heartbeat. */
export function aliveWorkers(redis: RedisClient, prefix: string): Promise<WorkerHeartbeat[]> {
  return alive(redis, `${prefix}:worker`, isWorker);
}

export function aliveServices(redis: RedisClient, prefix: string): Promise<ServiceHeartbeat[]> {
  return alive(redis, `${prefix}:service`, isService);
}

/** Returns the ids of services' processes that wrote here within ten minutes, and have not closed. */
export async function seenServices(redis: RedisClient, prefix: string): Promise<Set<string>> {
  const names = await redis.zrevrange(`${prefix}:service:seen`, 0, -1);
  return new Set(names.map((name) => name.split(' ')[1] ?? ''));
}

/** A process that gives no sign, and did not close. `forMs`: time since its last sign. */
export type LostProcess = { service: string; host: string; pid: number; forMs: number };

/**
 * Returns the processes that were lost in the last ten minutes, the last one first. Leaves out a process in whose place, on
 * the same host, another one of its service has started since.
 * @param now by the clock of Redis. @param alive all that are alive.
 */
export async function lostProcesses(
  redis: RedisClient,
  prefix: string,
  now: number,
  alive: readonly Heartbeat[],
): Promise<LostProcess[]> {
  const living = new Set(alive.map(({ id }) => id));
  const families = ['worker', 'service'].map((family) =>
    redis.zrevrangebyscore(
      `${prefix}:${family}:seen`,
      now - 1_000 * HEARTBEAT_TTL_S,
      now - 1_000 * SEEN_S,
      'WITHSCORES',
      'LIMIT',
      0,
      MAX_PROCESSES,
    ),
  );
  const seen = (await Promise.all(families)).flat();
  return seen
    .flatMap((name, i) => {
      const [service = '', id = '', pid, host = ''] = name.split(' ');
      return i % 2 === 0 && !living.has(id)
        ? [{ service, host, pid: Number(pid), at: Number(seen[i + 1]) }]
        : [];
    })
    .filter(
      ({ service, host, at }) =>
        !alive.some((one) => serviceOf(one) === service && one.host === host && one.startedAt > at),
    )
    .sort((one, other) => other.at - one.at)
    .map(({ at, ...process }) => ({ ...process, forMs: now - at }));
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

function keysOf(prefix: string, state: { id: string; service?: string }) {
  const family = `${prefix}:${state.service === undefined ? 'worker' : 'service'}`;
  return { ids: `${family}s`, key: `${family}:${state.id}`, seen: `${family}:seen` };
}

/** A host's name has no blank (RFC 1123). */
function nameOf(state: Pick<Heartbeat, 'id' | 'host' | 'pid'> & { service?: string }): string {
  return `${serviceOf(state)} ${state.id} ${state.pid} ${state.host}`;
}

function serviceOf(state: object): string {
  return 'service' in state ? String(state.service) : 'label-worker';
}
