import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** In a name, the process's id, its start and a random part follow. */
const PREFIX = 'guias-chromium-';

let own: string | undefined;

/**
 * Returns the folder for this process's Chromium profiles, which is removed when the process exits. The first call
 * also removes folders of killed processes, because a container's temporary folder outlives a restart.
 */
export function temporaryFolder(): string {
  if (own) return own;
  removeFoldersOfTheDead();
  const folder = mkdtempSync(join(tmpdir(), `${PREFIX}${process.pid}-${startOf(process.pid)}-`));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  own = folder;
  return folder;
}

function removeFoldersOfTheDead(): void {
  for (const name of readdirSync(tmpdir())) {
    if (!name.startsWith(PREFIX)) continue;
    const [pid = '', start] = name.slice(PREFIX.length).split('-');
    if (start === startOf(pid)) continue;
    try {
      rmSync(join(tmpdir(), name), { recursive: true, force: true });
    } catch {
      // The folder is another user's, and that user's next worker removes it.
    }
  }
}

/**
 * Returns when a process started, in clock ticks since boot (proc_pid_stat(5), field 22), because a restarted
 * container repeats process ids. Returns 'none' without such a process, or without /proc.
 */
function startOf(pid: number | string): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // Skips the second field, the program's name, because it may hold blanks.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? 'none';
  } catch {
    return 'none';
  }
}
