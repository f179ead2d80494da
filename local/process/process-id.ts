import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** One process. A pid alone would also name the process that gets it later. */
export type ProcessId = { pid: number; startedAt: string };

/** Returns undefined if there is no such process any more. */
export function identify(pid: number | undefined): ProcessId | undefined {
  const startedAt = pid === undefined ? undefined : startOf(pid);
  return pid === undefined || startedAt === undefined ? undefined : { pid, startedAt };
}

export function isRunning({ pid, startedAt }: ProcessId): boolean {
  return startOf(pid) === startedAt;
}

/**
 * Sends a signal to a process and its group, which it leads.
 * @returns false if the process has ended, even if another one has its pid now.
 */
export function signalGroup(id: ProcessId, signal: NodeJS.Signals): boolean {
  if (!isRunning(id)) return false;
  try {
    return process.kill(-id.pid, signal);
  } catch {
    return false; // it has ended just now
  }
}

/**
 * Returns the process groups that children of a process lead. Chromium is such a group, because Debian's program is a shell
 * script around the real one, and Chromium is many processes.
 */
export function groupsOfChildren(pid: number): number[] {
  const rows = execFileSync('ps', ['-eo', 'ppid=,pid=,pgid='], { encoding: 'utf8' }).trim().split('\n');
  return rows.flatMap((row) => {
    const [parent, child, group] = row.trim().split(/ +/).map(Number);
    return parent === pid && child === group && child !== undefined ? [child] : [];
  });
}

/** Returns when a process started, by its system; undefined if it has ended. */
function startOf(pid: number): string | undefined {
  try {
    return process.platform === 'linux' ? startTicks(pid) : startSecond(pid);
  } catch {
    return undefined;
  }
}

/** In clock ticks since boot (proc_pid_stat(5), field 22). The second field, a program's name, may hold blanks. */
function startTicks(pid: number): string | undefined {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const [state, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return state === 'Z' ? undefined : rest[18];
}

function startSecond(pid: number): string | undefined {
  const text = execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' });
  return text.trim() || undefined;
}
