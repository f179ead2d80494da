import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { aliveWorkers } from '#shared/stores/heartbeat.ts';
import { inParallel } from '../load/load.ts';
import type { Result, Run } from '../run.ts';
import { memoryMiB, processTree } from '../system/process-tree.ts';
import { type BenchSystem, withSystem } from '../system/system.ts';

/** More than the system serves at once: with still more, only the waits grow. */
const CLIENTS = 60;
/** Longer than the minute of which a worker tells, also if labels get faster meanwhile. */
const SECONDS = 75;

/**
 * A label worker that prints all that it can: the memory of Node and its Chromium's processes, early and late, and what
 * "Estado" says that it could print, against what it prints.
 */
export async function fullLoad(run: Run): Promise<Result[]> {
  return withSystem(run, async (system) => {
    const few = run.count(1_000);
    await print(system, few);
    const early = await settledMemory(system);
    run.say(`label worker: ${early.toFixed(0)} MiB after ${few} labels`);
    const { perSecond } = await print(system, few);
    const many = Math.max(run.count(18_000), Math.ceil(perSecond * SECONDS));
    run.say(`label worker: ${many} more labels…`);
    const printed = (await print(system, many)).perSecond;
    const told = await toldPerSecond(run, system);
    const late = await settledMemory(system);
    const resident = `${late.toFixed(0)} MiB after ${2 * few + many} labels, ${early.toFixed(0)} MiB after ${few}`;
    const capacity = `told ${told.toFixed(1)} labels/s, printed ${printed.toFixed(1)}`;
    return [
      { id: 'memory', rounds: [late / early], note: `${resident} (resident, Node and Chromium)` },
      { id: 'capacity', rounds: [told / printed], note: capacity },
    ];
  });
}

async function print({ api }: BenchSystem, labels: number) {
  const guides = await api.newGuides(labels);
  return inParallel(guides, CLIENTS, (guide) => api.label(guide));
}

/** The least of some seconds: garbage that is about to go is not growth. */
async function settledMemory({ processes }: BenchSystem): Promise<number> {
  const worker = processes['label-worker'].pid ?? 0;
  let least = Number.POSITIVE_INFINITY;
  for (let second = 0; second < 5; second++) {
    await sleep(1_000);
    least = Math.min(least, memoryMiB(processTree(worker)));
  }
  return least;
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
