import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { processTree } from './process-tree.ts';

/** The CPU controller of cgroup v1 (sched-bwc.rst of the Linux kernel), where a group may have a quota. */
const CONTROLLER = '/sys/fs/cgroup/cpu';
/** Time over which a share is counted, in µs: short, so that a capped process runs evenly and not in bursts. */
const PERIOD = 20_000;
/** Weight of a group against a single process's 1 024: it gets its share also while others want the cores. */
const WEIGHT = 8 * 1_024;

/** Returns whether this machine lets us give a process a share of a core: Linux with cgroup v1, as root. */
export function canCapCores(): boolean {
  return existsSync(join(CONTROLLER, 'cpu.cfs_quota_us')) && process.getuid?.() === 0;
}

/**
 * Gives a process, and all that it started and will start, so much CPU time and no more, also while others want it. The
 * cap's group is removed when this process ends.
 *
 * @param cores CPU seconds a second: 0.25 is a quarter of a core.
 */
export function capCores(pid: number, cores: number): void {
  const group = join(CONTROLLER, `guias-bench-${pid}`);
  mkdirSync(group, { recursive: true });
  writeFileSync(join(group, 'cpu.cfs_period_us'), String(PERIOD));
  writeFileSync(join(group, 'cpu.cfs_quota_us'), String(Math.round(PERIOD * cores)));
  writeFileSync(join(group, 'cpu.shares'), String(WEIGHT));
  for (const one of processTree(pid)) add(one.pid, group);
  process.on('exit', () => rmdirSync(group)); // by then nothing runs in it
}

function add(pid: number, group: string): void {
  try {
    writeFileSync(join(group, 'cgroup.procs'), String(pid));
  } catch (error) {
    // Chromium has a process for each print, which may have ended since it was listed.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
