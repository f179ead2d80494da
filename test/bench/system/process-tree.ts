import { readdirSync, readFileSync } from 'node:fs';

/**
 * Memory and CPU time of processes, from Linux' /proc: of a whole tree, since Chromium is many processes. The time of
 * those that have ended counts with the process that started them: Chromium starts one for each print.
 */

const PAGE_BYTES = 4_096;
const TICKS_PER_SECOND = 100;

export type ProcessUse = { pid: number; command: string; memoryBytes: number; cpuMs: number };

/** The process and all that it started. */
export function processTree(root: number): ProcessUse[] {
  const all = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? readProcess(Number(name)) : []));
  const tree = all.filter(({ pid }) => pid === root);
  for (const parent of tree) tree.push(...all.filter((one) => one.parent === parent.pid));
  return tree;
}

export function memoryMiB(processes: readonly ProcessUse[]): number {
  return processes.reduce((sum, { memoryBytes }) => sum + memoryBytes, 0) / 2 ** 20;
}

/** CPU time so far, in ms. */
export function cpuMsOf(processes: readonly ProcessUse[]): number {
  return processes.reduce((sum, { cpuMs }) => sum + cpuMs, 0);
}

/**
 * CPU time so far in ms of this process and all that it started, by what they are, and of everything else on the
 * machine: figures taken while somebody else used the cores are to be seen as such.
 */
export function cpuByPart(): Map<string, number> {
  const parts = new Map<string, number>();
  let elsewhere = busyMs();
  for (const { pid, command, cpuMs } of processTree(process.pid)) {
    const part = pid === process.pid ? 'load generator' : partOf(command);
    parts.set(part, (parts.get(part) ?? 0) + cpuMs);
    elsewhere -= cpuMs;
  }
  return parts.set('other programs', elsewhere);
}

/** Of all cores: user, nice, system, irq and softirq (proc_stat(5)), without idling and waiting for disks. */
function busyMs(): number {
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0] = readFileSync('/proc/stat', 'utf8')
    .split('\n', 1)
    .join()
    .split(/ +/)
    .slice(1)
    .map(Number);
  return ((user + nice + system + irq + softirq) * 1_000) / TICKS_PER_SECOND;
}

const PARTS: readonly [RegExp, string][] = [
  [/services\/([a-z-]+)\/main\.ts/, '$1'],
  [/redis-server/, 'redis'],
  [/postgres|ferretdb|mongod/, 'database'],
  [/printers\/run\.ts/, 'other printers'],
  [/chrom/, 'chromium'],
];

function partOf(command: string): string {
  const [pattern, name] = PARTS.find(([known]) => known.test(command)) ?? [/$/, 'rest'];
  return pattern.exec(command)?.[1] ?? name;
}

function readProcess(pid: number): (ProcessUse & { parent: number })[] {
  try {
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // Fields from the third on (proc_pid_stat(5)): the second is the name, which may hold spaces.
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const field = (number: number) => fields[number - 3] ?? 0;
    const cpuMs = ((field(14) + field(15) + field(16) + field(17)) * 1_000) / TICKS_PER_SECOND;
    return [{ pid, command, parent: field(4), memoryBytes: field(24) * PAGE_BYTES, cpuMs }];
  } catch {
    return []; // it ended meanwhile
  }
}
