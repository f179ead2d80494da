import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { repeat } from '#shared/async/repeat.ts';
import { FailureLog } from '#shared/observability/failure-log.ts';
import type { Logger } from '#shared/observability/logger.ts';
import { type Dependencies, dependencyStates } from '#shared/stores/dependencies.ts';
import {
  HEARTBEAT_MS,
  type Heartbeat,
  type OwnDetails,
  removeHeartbeat,
  type ServiceHeartbeat,
  writeHeartbeat,
} from '#shared/stores/heartbeat.ts';
import type { RedisClient } from '#shared/stores/redis-client.ts';
import { timeOf } from '#shared/stores/redis-clock.ts';
import type { HttpServer } from './http-server.ts';

/** Pause before a failed heartbeat is written again. */
const AGAIN_MS = 500;

type Options<Details> = {
  redis: RedisClient;
  prefix: string;
  dependencies: Dependencies;
  /** Returns what only this kind of process reports. @param now by the clock of Redis, in ms since 1970. */
  details: (now: number) => Promise<Details>;
  log: Pick<Logger, 'info' | 'warn'>;
};

/** @param more returns what only this service reports. */
export function beatWhileServing(
  server: HttpServer,
  service: ServiceHeartbeat['service'],
  redis: RedisClient,
  prefix: string,
  more: () => Pick<ServiceHeartbeat, 'limited'> = () => ({}),
): void {
  const { dependencies, log } = server;
  let heartbeats: { stop(): Promise<void> } | undefined;
  server.addHook('onReady', async () => {
    const details = async () => ({ service, ...more() });
    heartbeats = startHeartbeats({ redis, prefix, dependencies, log, details });
  });
  // While Redis is away, the last heartbeat expires by itself.
  server.addHook('onClose', () => heartbeats?.stop().catch(() => {}));
}

/** Writes the process's state every two seconds, until `stop` removes it. */
export function startHeartbeats<Kind extends Heartbeat>(
  options: Options<OwnDetails<Kind>>,
): { stop(): Promise<void> } {
  const { redis, prefix, dependencies, details, log } = options;
  const self = { id: randomUUID(), host: hostname(), pid: process.pid };
  const startedHere = performance.now();
  let last: Heartbeat | undefined;

  async function beat(): Promise<void> {
    // Both take up to a second while a store hangs. One after the other, they would delay the heartbeat too long.
    const reading = dependencyStates(dependencies);
    const at = await timeOf(redis);
    const startedAt = last?.startedAt ?? Math.round(at - (performance.now() - startedHere));
    const [own, states] = await Promise.all([details(at), reading]);
    last = { ...self, startedAt, ...own, dependencies: states, at } as unknown as Kind;
    await writeHeartbeat(redis, prefix, last);
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
    async stop() {
      // Waits for the last heartbeat, which would otherwise arrive after the removal.
      await stop();
      if (last) await removeHeartbeat(redis, prefix, last);
    },
  };
}
