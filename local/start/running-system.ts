import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { localFolder } from '../folders.ts';
import type { OwnedProcess } from '../process/owned-process.ts';
import { identify, isRunning, type ProcessId } from '../process/process-id.ts';
import { readJson } from '../read-json.ts';
import type { Log } from '../setup-error.ts';
import type { System } from '../system.ts';

/** What `npm start` runs. Other commands of this checkout read it, and `on-call.sh`. */
export type RunningSystem = {
  npmStart: ProcessId;
  addresses: System['addresses'];
  environments: System['environments'];
  mongoUri: string;
  /** Of the Redis of the queue and that of the labels, for the user `operator`. */
  redisUrl: string;
  labelCacheUrl: string;
  /** By their names in the terminal of `npm start`. A store that was given is absent. */
  processes: Record<string, ProcessId>;
};

const FILE = join(localFolder, 'running.json');

/**
 * Writes what runs to `.local/running.json`, until this process ends. This user alone may read it: it has passwords.
 * @returns writes that a process was started again, and tells `log` if that fails.
 */
export function announceRunning(
  system: Omit<RunningSystem, 'npmStart' | 'processes'>,
  children: readonly OwnedProcess[],
  log: Log,
): (restarted: OwnedProcess) => void {
  const npmStart = identify(process.pid);
  const processes: Record<string, ProcessId> = {};
  const write = (started: readonly OwnedProcess[]) => {
    for (const { name, pid } of started) {
      const id = identify(pid);
      if (id) processes[name] = id;
    }
    writeFileSync(`${FILE}.partial`, JSON.stringify({ ...system, npmStart, processes }), { mode: 0o600 });
    renameSync(`${FILE}.partial`, FILE);
  };
  process.once('exit', () => rmSync(FILE, { force: true }));
  write(children);
  return (restarted) => {
    try {
      write([restarted]);
    } catch (error) {
      log(`${FILE} is as before, without the new ${restarted.name}: ${(error as Error).message}`);
    }
  };
}

/**
 * Returns undefined unless an `npm start` of this checkout runs and has got ready.
 * @throws SetupError for a damaged file.
 */
export function readRunning(): RunningSystem | undefined {
  const system = readJson<RunningSystem>(
    FILE,
    'está dañado. Detenga npm start (Ctrl-C) e inícielo otra vez.',
  );
  return system && isRunning(system.npmStart) ? system : undefined;
}
