import { Redis } from 'ioredis';
import { aliveWorkers } from '#shared/stores/heartbeat.ts';
import { inParallel } from '../load/load.ts';
import type { Result, Run } from '../run.ts';
import { type BenchSystem, forgetLabels, withSystem } from '../system/system.ts';

/** More than the system serves at once: with still more, only the waits grow. */
const CLIENTS = 60;
const WARM_UP_LABELS = 2_000;
/** Longer than the minute of which a worker tells, also if labels get faster meanwhile. */
const SECONDS = 90;

/** What "Estado" says that a worker could print while it prints all that it can, against what it prints. */
export async function capacity(run: Run): Promise<Result[]> {
  return withSystem(run, async (system) => {
    const { perSecond } = await print(system, WARM_UP_LABELS);
    await forgetLabels(run, system);
    run.say(`capacity: ${CLIENTS} clients for ${SECONDS} s…`);
    const printed = (await print(system, Math.ceil(perSecond * SECONDS))).perSecond;
    const told = await toldPerSecond(run, system);
    const note = `told ${told.toFixed(1)} labels/s, printed ${printed.toFixed(1)}`;
    return [{ id: 'capacity', rounds: [told / printed], note }];
  });
}

async function print({ api }: BenchSystem, labels: number) {
  const guides = await api.newGuides(labels);
  return inParallel(guides, CLIENTS, (guide) => api.label(guide));
}

/** @throws Error if the worker does not tell what it could print. */
async function toldPerSecond({ servers }: Run, { redisPrefix }: BenchSystem): Promise<number> {
  const redis = new Redis(servers.redisUrl);
  try {
    const [worker] = await aliveWorkers(redis, redisPrefix);
    if (!worker?.capacity) throw new Error('The worker does not tell what it could print');
    return worker.capacity.mostPerMinute / 60;
  } finally {
    redis.disconnect();
  }
}
