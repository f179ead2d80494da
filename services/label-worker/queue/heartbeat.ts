import type { Worker } from 'bullmq';
import { withTimeout } from '#shared/async/with-timeout.ts';
import type { LabelJobResult, TemplateVersions } from '#shared/printing/label-job.ts';
import type { OwnDetails, PrintCapacity, WorkerHeartbeat } from '#shared/stores/heartbeat.ts';
import { evicts, type RedisState } from '#shared/stores/redis-state.ts';

/** Time limit of reading the label cache's state. */
const READ_MS = 1_000;

type Options = {
  worker: Pick<Worker, 'on'>;
  chromium: () => WorkerHeartbeat['chromium'];
  templates: TemplateVersions;
  labelCache: () => Promise<RedisState>;
  capacity: () => PrintCapacity | undefined;
};

/** Reads the fields that only label workers report. */
export function workerDetails({ worker, chromium, templates, labelCache, capacity }: Options) {
  let labels = 0;
  worker.on('completed', (_job, { dropped }: LabelJobResult) => {
    if (!dropped) labels++;
  });
  return async (now: number): Promise<OwnDetails<WorkerHeartbeat>> => {
    const labelCacheEvicts = await withTimeout(READ_MS, 'Reading the state of the label cache', labelCache())
      .then(evicts)
      .catch(() => undefined); // `dependencies` reports whether it answers
    const known = labelCacheEvicts === undefined ? {} : { labelCacheEvicts };
    const { since, ...state } = chromium();
    const byRedis = now - (Date.now() - since);
    return {
      ...{ labels, chromium: { ...state, since: byRedis }, templates, marks: true as const, ...known },
      capacity: capacity() ?? null,
    };
  };
}
