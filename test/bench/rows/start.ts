import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '#local/process/free-port.ts';
import { startProcess } from '#local/process/owned-process.ts';
import { waitUntilReady } from '#local/process/wait-until-ready.ts';
import { copyCheckout } from '#test/fixtures/checkout.ts';
import type { Result, Run } from '../run.ts';

/** `npm start` in a copy of this checkout. */
export async function start(run: Run): Promise<Result[]> {
  const copy = join(run.servers.folder, 'checkout');
  const remove = copyCheckout(copy);
  try {
    run.say('npm start, the first time…');
    await startAndStop(copy);
    const rounds: number[] = [];
    for (let round = 0; round < run.rounds; round++) {
      rounds.push(await startAndStop(copy));
      run.say(`npm start: ready after ${rounds.at(-1)?.toFixed(1)} s`);
    }
    return [{ id: 'start', rounds }];
  } finally {
    remove();
  }
}

/** @returns seconds until it says that it is ready. */
async function startAndStop(copy: string): Promise<number> {
  const [api, branches, worker] = [await freePort(), await freePort(), await freePort()];
  const ports = { API_PORT: api, BRANCHES_PORT: branches, LABEL_WORKER_PORT: worker };
  const texts = Object.entries(ports).map(([name, port]) => [name, String(port)]);
  const logFile = join(copy, 'npm-start.log');
  rmSync(logFile, { force: true });
  const started = performance.now();
  const npm = startProcess({
    name: 'npm start',
    command: ['npm', 'start'],
    cwd: copy,
    env: { ...process.env, ...Object.fromEntries(texts) },
    logFile,
    stopTimeoutMs: 30_000,
  });
  await waitUntilReady(npm, async () => readFileSync(logFile, 'utf8').includes('Ready after'), 300_000);
  const seconds = (performance.now() - started) / 1_000;
  await npm.stop();
  return seconds;
}
