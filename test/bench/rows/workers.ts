import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repoRoot } from '#local/folders.ts';
import { freePort } from '#local/process/free-port.ts';
import { type OwnedProcess, startProcess } from '#local/process/owned-process.ts';
import { waitUntilReady } from '#local/process/wait-until-ready.ts';
import { inParallel } from '../load/load.ts';
import { median, ratios } from '../report/statistics.ts';
import type { Result, Run } from '../run.ts';
import { canCapCores, capCores } from '../system/core-cap.ts';
import { cpuMsOf, processTree } from '../system/process-tree.ts';
import { type BenchSystem, forgetLabels, withSystem } from '../system/system.ts';

/** Label workers of each system: twice as many as in the one before. */
const SIZES = [1, 2, 4] as const;
/** What each worker has together with its Chromium, in cores: four leave the rest of the system a core of two. */
const CORES_EACH = 0.25;
/** Labels in flight for each worker, so that each has as much to do, however many there are; few enough that none is refused. */
const CONCURRENCY_EACH = 24;
/** Labels of a round for each worker: some seven seconds. */
const LABELS_EACH = 250;

/** A system with some label workers, each of which has its share of a core, and what they did. */
type Fleet = {
  size: number;
  system: BenchSystem;
  workers: OwnedProcess[];
  /** Labels that were asked for and answered. */
  served: number;
  rounds: { perSecond: number; coresUsed: number }[];
};

/**
 * What twice the workers on twice the cores print. A machine has too few cores for workers with cores of their own, so each
 * has a quarter of one; the rest of the system, and the load, have what is left. Rounds of the systems take turns.
 */
export async function workers(run: Run): Promise<Result[]> {
  if (!canCapCores()) {
    run.say('workers: left out. A share of a core takes Linux with cgroup v1, and root.');
    return [];
  }
  return withFleets(run, SIZES, [], async (fleets) => {
    for (const fleet of fleets) await warmUp(run, fleet);
    for (let round = 0; round < run.rounds; round++) {
      for (const fleet of fleets) await measure(run, fleet);
    }
    return results(fleets);
  });
}

/** Starts a system for each size, and stops all of them after `use`. */
async function withFleets<T>(
  run: Run,
  [size, ...more]: readonly number[],
  fleets: Fleet[],
  use: (fleets: Fleet[]) => Promise<T>,
): Promise<T> {
  if (size === undefined) return use(fleets);
  return withSystem(run, async (system) => {
    const started: OwnedProcess[] = [];
    try {
      while (started.length + 1 < size) started.push(await startWorker(run, system, started.length + 2));
      const all = [system.processes['label-worker'], ...started];
      const fleet: Fleet = { size, system, workers: all, served: 0, rounds: [] };
      return await withFleets(run, more, [...fleets, fleet], use);
    } finally {
      await Promise.all(started.map((worker) => worker.stop()));
    }
  });
}

/** Without the caps, under which it would take minutes until the workers' code is compiled. */
async function warmUp(run: Run, fleet: Fleet): Promise<void> {
  const count = fleet.size * run.count(1_000);
  run.say(`workers: warming up ${fleet.size}…`);
  await fleet.system.api.warmUp(count);
  fleet.served += count;
  for (const { pid = 0 } of fleet.workers) capCores(pid, CORES_EACH);
}

async function measure(run: Run, fleet: Fleet): Promise<void> {
  const { size, system, workers } = fleet;
  await forgetLabels(run, system);
  const guides = await system.api.newGuides(size * run.count(LABELS_EACH));
  const cpuMs = () => cpuMsOf(workers.flatMap(({ pid = 0 }) => processTree(pid)));
  const before = cpuMs();
  const load = await inParallel(guides, size * CONCURRENCY_EACH, (guide) => system.api.label(guide));
  const coresUsed = (cpuMs() - before) / 1_000 / load.seconds;
  fleet.served += load.latencies.length;
  fleet.rounds.push({ perSecond: load.perSecond, coresUsed });
  run.say(
    `workers: ${size} print ${load.perSecond.toFixed(1)} labels/s on ${coresUsed.toFixed(2)} cores, ${load.refusals.length} refused`,
  );
}

function results(fleets: readonly Fleet[]): Result[] {
  const perSecond = ({ rounds }: Fleet) => rounds.map((round) => round.perSecond);
  return fleets.flatMap((fleet, i) => {
    const half = fleets[i - 1];
    const id = `workers-${fleet.size}`;
    return [
      { id, rounds: perSecond(fleet), note: noteOn(fleet) },
      ...(half ? [{ id: `${id}-against-half`, rounds: ratios(perSecond(fleet), perSecond(half)) }] : []),
    ];
  });
}

/** Says which share of their cores the workers really had, and that no label was printed twice or lost. */
function noteOn({ rounds, served, workers }: Fleet): string {
  const cores = median(rounds.map(({ coresUsed }) => coresUsed));
  const perSecond = median(rounds.map((round) => round.perSecond));
  const printed = workers.flatMap(printedLabels);
  const labels = `${served} labels served, ${printed.length} printed, ${new Set(printed).size} distinct`;
  return `${cores.toFixed(2)} cores used, ${((1_000 * cores) / perSecond).toFixed(2)} core-ms a label; ${labels}`;
}

/** The labels that a worker says to have printed, in its log. */
function printedLabels({ logFile }: OwnedProcess): string[] {
  return [...readFileSync(logFile, 'utf8').matchAll(/"label":"([^"]+)".*"A label was printed"/g)].map(
    ([, label = '']) => label,
  );
}

async function startWorker(run: Run, system: BenchSystem, number: number): Promise<OwnedProcess> {
  const port = await freePort();
  const worker = startProcess({
    name: `label-worker ${number}`,
    command: [process.execPath, join(repoRoot, 'services', 'label-worker', 'main.ts')],
    env: {
      ...process.env,
      HOST: '127.0.0.1',
      PORT: String(port),
      REDIS_URL: run.servers.redisUrl,
      LABEL_CACHE_URL: run.servers.labelCacheUrl,
      REDIS_PREFIX: system.redisPrefix,
      CHROMIUM_PATH: run.servers.chromiumPath,
    },
    logFile: join(system.logFolder, `label-worker-${number}.log`),
    stopTimeoutMs: 25_000,
  });
  const ready = async () => (await fetch(`http://127.0.0.1:${port}/health/ready`)).ok;
  await waitUntilReady(worker, ready, 20_000);
  return worker;
}
