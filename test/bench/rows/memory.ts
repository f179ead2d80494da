import { setTimeout as sleep } from 'node:timers/promises';
import { inParallel } from '../load/load.ts';
import type { Result, Run } from '../run.ts';
import { memoryMiB, processTree } from '../system/process-tree.ts';
import { type BenchSystem, withSystem } from '../system/system.ts';

const CONCURRENCY = 64;

/** The label worker's memory, Node and its Chromium's processes, early and late in a life of many labels. */
export async function memory(run: Run): Promise<Result[]> {
  return withSystem(run, async (system) => {
    await print(system, run.count(1_000));
    const early = await settledMemory(system);
    run.say(`label worker: ${early.toFixed(0)} MiB after ${run.count(1_000)} labels`);
    for (let turn = 0; turn < 19; turn++) await print(system, run.count(1_000));
    const late = await settledMemory(system);
    run.say(`label worker: ${late.toFixed(0)} MiB after ${run.count(20_000)} labels`);
    const note = `${late.toFixed(0)} MiB against ${early.toFixed(0)} MiB (resident, Node and Chromium)`;
    return [{ id: 'memory', rounds: [late / early], note }];
  });
}

async function print({ api }: BenchSystem, count: number): Promise<void> {
  await inParallel(await api.newGuides(count), CONCURRENCY, (guide) => api.label(guide));
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
