import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { Worker } from 'bullmq';
import type { LabelJobResult, TemplateVersions } from '#shared/contracts/label-job.ts';
import type { Logger } from '#shared/observability/logger.ts';
import type { RedisClient } from '#shared/stores/redis-client.ts';
import {
  HEARTBEAT_MS,
  removeHeartbeat,
  type WorkerHeartbeat,
  writeHeartbeat,
} from '#shared/stores/worker-heartbeat.ts';

type Options = {
  redis: RedisClient;
  prefix: string;
  worker: Pick<Worker, 'on'>;
  /** Returns the state of Chromium at once. */
  chromium: () => WorkerHeartbeat['chromium'];
  templates: TemplateVersions;
  log: Logger;
};

/** Writes to Redis every five seconds that this worker is alive, until `stop`, which removes it there. */
export function startHeartbeat({ redis, prefix, worker, chromium, templates, log }: Options): {
  stop(): Promise<void>;
} {
  const self = { id: randomUUID(), host: hostname(), pid: process.pid, startedAt: Date.now(), templates };
  let labels = 0;
  worker.on('completed', (_job, { dropped }: LabelJobResult) => {
    if (!dropped) labels++;
  });
  const end = new AbortController();

  async function beatUntilEnd(): Promise<void> {
    while (!end.signal.aborted) {
      const heartbeat = { ...self, labels, chromium: chromium() };
      await writeHeartbeat(redis, prefix, heartbeat).catch((err) =>
        log.warn({ err }, 'The heartbeat could not be written'),
      );
      await delay(HEARTBEAT_MS, undefined, { signal: end.signal }).catch(() => {});
    }
  }
  const beating = beatUntilEnd();
  return {
    async stop() {
      end.abort();
      // A heartbeat that is still on its way would arrive after the removal.
      await beating;
      await removeHeartbeat(redis, prefix, self.id);
    },
  };
}
