import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import { HEARTBEAT_MS, removeHeartbeat, writeHeartbeat } from '#shared/contracts/worker-heartbeat.ts';
import type { Logger } from '#shared/observability/logger.ts';
import type { PrintingBrowser } from '../chromium/browser.ts';

type Options = {
  redis: Redis;
  prefix: string;
  worker: Pick<Worker, 'on'>;
  browser: Pick<PrintingBrowser, 'status'>;
  log: Logger;
};

/** Says in Redis that this worker is alive, and how it is, until `stop`, which also says that it is gone. */
export function startHeartbeat({ redis, prefix, worker, browser, log }: Options): { stop(): Promise<void> } {
  const self = { id: randomUUID(), host: hostname(), pid: process.pid, startedAt: Date.now() };
  let labels = 0;
  worker.on('completed', () => {
    labels++;
  });
  const end = new AbortController();

  async function beatUntilEnd(): Promise<void> {
    while (!end.signal.aborted) {
      const chromium = (await browser.status()) ?? null;
      await writeHeartbeat(redis, prefix, { ...self, labels, chromium }).catch((err) =>
        log.warn({ err }, 'heartbeat'),
      );
      await delay(HEARTBEAT_MS, undefined, { signal: end.signal }).catch(() => {});
    }
  }
  const beating = beatUntilEnd();
  return {
    async stop() {
      end.abort();
      // One that is on its way would come after the removal.
      await beating;
      await removeHeartbeat(redis, prefix, self.id);
    },
  };
}
