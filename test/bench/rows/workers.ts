import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repoRoot } from '#local/folders.ts';
import { freePort } from '#local/process/free-port.ts';
import { type OwnedProcess, startProcess } from '#local/process/owned-process.ts';
import { waitUntilReady } from '#local/process/wait-until-ready.ts';
import { inParallel } from '../load/load.ts';
import type { Result, Run } from '../run.ts';
import { type BenchSystem, withSystem } from '../system/system.ts';

const CONCURRENCY = 64;

/** Label workers that share the queue: what more of them bring, and that no label is printed twice or lost. */
export async function workers(run: Run): Promise<Result[]> {
  return withSystem(run, async (system) => {
    const { api } = system;
    const results: Result[] = [];
    const logs = [join(system.logFolder, 'label-worker.log')];
    const more: OwnedProcess[] = [];
    let served = 0;
    try {
      for (const size of [1, 2, 4]) {
        while (more.length + 1 < size) more.push(await startWorker(run, system, more.length + 2));
        await api.warmUp(run.count(1_000));
        served += run.count(1_000);
        const rounds: number[] = [];
        for (let round = 0; round < run.rounds; round++) {
          const guides = await api.newGuides(run.count(2_000));
          const load = await inParallel(guides, CONCURRENCY, (guide) => api.label(guide));
          served += load.latencies.length;
          rounds.push(load.perSecond);
        }
        run.say(`${size} label workers: ${rounds.at(-1)?.toFixed(0)} labels/s`);
        results.push({ id: `workers-${size}`, rounds });
      }
    } finally {
      for (const worker of more) await worker.stop();
    }
    const printed = [...logs, ...more.map(({ logFile }) => logFile)].flatMap(printedLabels);
    const note = `${CONCURRENCY} concurrent; ${served} labels served, ${printed.length} printed, ${new Set(printed).size} distinct`;
    return results.map((result) => (result.id === 'workers-4' ? { ...result, note } : result));
  });
}

/** The labels that a worker says to have printed, in its log. */
function printedLabels(logFile: string): string[] {
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
