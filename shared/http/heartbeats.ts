import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { Gauge } from 'prom-client';
import { repeat } from '#shared/async/repeat.ts';
import { withTimeout } from '#shared/async/with-timeout.ts';
import { FailureLog } from '#shared/observability/failure-log.ts';
import type { Logger } from '#shared/observability/logger.ts';
import { type Dependencies, dependencyStates, type HealthState } from '#shared/stores/dependencies.ts';
import {
  aliveServices,
  type DependencyState,
  HEARTBEAT_MS,
  HEARTBEAT_TTL_S,
  type Heartbeat,
  type OwnDetails,
  REGISTER_MS,
  removeHeartbeat,
  type ServiceHeartbeat,
  writeHeartbeat,
} from '#shared/stores/heartbeat.ts';
import type { ProcessRegistry, RegisteredProcess } from '#shared/stores/process-registry.ts';
import type { RedisClient } from '#shared/stores/redis-client.ts';
import { timeOf } from '#shared/stores/redis-clock.ts';
import { fingerprintsOf, requireSameSecrets, secretsInUse } from '#shared/stores/shared-settings.ts';
import type { HttpServer } from './http-server.ts';

/** Pause before a failed heartbeat is written again. */
const AGAIN_MS = 500;
/** Longest wait for MongoDB when a service closes, in ms. */
const CLOSE_MS = 1_000;

type Options<Details> = {
  redis: RedisClient;
  prefix: string;
  dependencies: Dependencies;
  /** Returns what only this kind of process reports. @param now by the clock of Redis, in ms since 1970. */
  details: (now: number) => Promise<Details>;
  log: Pick<Logger, 'info' | 'warn'>;
};

/** Where processes of other Redis see one of this service. `details` returns what only this service writes there. */
type Register = {
  in: ProcessRegistry;
  service: RegisteredProcess['service'];
  details?: () => Pick<RegisteredProcess, 'seesWorkers' | 'proven'>;
};

/**
 * Writes heartbeats while the service runs. It does not get ready with another secret than the processes that are there.
 * @param more returns what only this service reports, at the time of Redis, in ms since 1970.
 */
export function beatWhileServing(
  server: HttpServer,
  service: ServiceHeartbeat['service'],
  redis: RedisClient,
  config: Readonly<{ REDIS_PREFIX: string }>,
  more: (
    at: number,
  ) => Pick<
    ServiceHeartbeat,
    'limited' | 'actions' | 'missingIndexes' | 'directory' | 'accounts' | 'tariffLoad' | 'marks'
  > = () => ({}),
  register?: Register,
): void {
  const { dependencies, log } = server;
  const prefix = config.REDIS_PREFIX;
  const settings = fingerprintsOf(config);
  const secrets = new Gauge({
    name: 'secrets_info',
    help: '1 for each secret that this process uses, with a fingerprint that tells whether others use the same',
    labelNames: ['secret', 'fingerprint'],
    registers: [server.metrics],
  });
  for (const [secret, fingerprint] of secretsInUse(settings)) secrets.set({ secret, fingerprint }, 1);
  const self = ownProcess();
  let stop = async () => {};
  server.addHook('onReady', async () => {
    const details = async (at: number) => ({ service, settings, ...more(at) });
    const heartbeats = startHeartbeats({ redis, prefix, dependencies, log, details }, self);
    const unregister = register && startRegistering(register, self.known, heartbeats.areWritten, log);
    stop = async () => {
      await unregister?.();
      await heartbeats.stop();
    };
  });
  server.startup.onceConnected('the secrets of the other processes', async () => {
    const known = await Promise.all([timeOf(redis), aliveServices(redis, prefix)]).catch(() => undefined);
    // While Redis is away, nobody knows the others.
    if (known) requireSameSecrets({ ...self.startedBefore(known[0]), service, settings }, known[1]);
  });
  // While Redis is away, the last heartbeat expires by itself.
  server.addHook('onClose', () => stop().catch(() => {}));
}

/**
 * Writes the process's state every two seconds, until `stop` removes it. `areWritten` returns whether Redis has taken the last
 * ones.
 */
export function startHeartbeats<Kind extends Heartbeat>(
  options: Options<OwnDetails<Kind>>,
  self = ownProcess(),
): { stop(): Promise<void>; areWritten(): boolean } {
  const { redis, prefix, dependencies, details, log } = options;
  let last: Heartbeat | undefined;
  let writtenAt = Number.NEGATIVE_INFINITY;

  async function beat(): Promise<void> {
    // Both take up to a second while a store hangs. One after the other, they would delay the heartbeat too long.
    const reading = dependencyStates(dependencies);
    const at = await timeOf(redis);
    const clockAheadMs = Date.now() - at;
    const [own, states] = await Promise.all([details(at), reading]);
    last = { ...self.startedBefore(at), ...own, ...reachedOf(states), at, clockAheadMs } as unknown as Kind;
    await writeHeartbeat(redis, prefix, last);
    writtenAt = performance.now();
  }
  const stop = repeat(beat, {
    pauseMs: HEARTBEAT_MS,
    retryMs: AGAIN_MS,
    log: new FailureLog(log, {
      failed: 'The heartbeat could not be written',
      recovered: 'Heartbeats are written again',
    }),
  });
  return {
    areWritten: () => performance.now() - writtenAt < 1_000 * HEARTBEAT_TTL_S,
    async stop() {
      // Waits for the last heartbeat, which would otherwise arrive after the removal.
      await stop();
      if (last) await removeHeartbeat(redis, prefix, last);
    },
  };
}

/**
 * Writes into the registry as long as heartbeats are written: whoever does not find these has another Redis or prefix.
 * @returns a function that stops it, and removes the process from the registry.
 */
function startRegistering(
  { in: registry, service, details }: Register,
  self: Pick<RegisteredProcess, 'id' | 'host' | 'pid'>,
  isHeard: () => boolean,
  log: Options<unknown>['log'],
): () => Promise<void> {
  const write = async () => {
    if (isHeard()) await registry.write({ ...self, service, ...details?.() });
  };
  const stop = repeat(write, {
    pauseMs: REGISTER_MS,
    retryMs: HEARTBEAT_MS,
    log: new FailureLog(log, {
      failed: 'The process could not be registered in MongoDB',
      recovered: 'The process is registered in MongoDB again',
    }),
  });
  return async () => {
    const removing = stop().then(() => registry.remove(self.id));
    await withTimeout(CLOSE_MS, 'Removing the process from MongoDB', removing).catch(() => {}); // it expires
  };
}

/** Returns who writes the heartbeats of a service. */
function ownProcess() {
  const known = { id: randomUUID(), host: hostname(), pid: process.pid };
  const startedHere = performance.now();
  let startedAt: number | undefined;
  return {
    known,
    /** @param at the time of Redis now; the first one tells when the process started. */
    startedBefore(at: number) {
      startedAt ??= Math.round(at - (performance.now() - startedHere));
      return { ...known, startedAt };
    },
  };
}

/** A dashboard skips a heartbeat with a state that its release does not know: these stand beside, each with an older one in its place. */
const BESIDE = {
  refused: { field: 'refusedBy', older: 'down' },
  'disk-full': { field: 'fullDisks', older: 'read-only' },
  public: { field: 'publicStores', older: 'down' },
} as const satisfies Partial<Record<HealthState, { field: keyof Heartbeat; older: DependencyState }>>;

function isBeside(state: HealthState): state is keyof typeof BESIDE {
  return state in BESIDE;
}

function reachedOf(states: Readonly<Record<string, HealthState>>) {
  const entries = Object.entries(states);
  const beside = Object.entries(BESIDE).flatMap(([state, { field }]) => {
    const names = entries.filter(([, each]) => each === state).map(([name]) => name);
    return names.length > 0 ? [[field, names] as const] : [];
  });
  const dependencies = entries.map(([name, state]): [string, DependencyState] => [
    name,
    isBeside(state) ? BESIDE[state].older : state,
  ]);
  return { dependencies: Object.fromEntries(dependencies), ...Object.fromEntries(beside) };
}
