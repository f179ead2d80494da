import { execFileSync } from 'node:child_process';
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { cacheFolder } from '../folders.ts';
import { withLock } from '../process/lock.ts';
import { runToEnd } from '../process/owned-process.ts';
import { type Log, SetupError } from '../setup-error.ts';

export type Program = {
  /** The best name first. */
  names: string[];
  apt: string;
  brew?: string;
  /** An alternative to installing it. */
  instead?: string;
};

export const redisServer: Program = {
  names: ['redis-server'],
  apt: 'redis-server',
  brew: 'redis',
  instead: 'set REDIS_URL and LABEL_CACHE_URL to a Redis that runs, each',
};

/** Returns the first of the names on PATH. */
export function findProgram(...names: string[]): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable);
}

export function canAptInstall(): boolean {
  return process.getuid?.() === 0 && existsSync('/etc/debian_version') && Boolean(findProgram('apt-get'));
}

/**
 * Installs missing programs as root on Debian.
 * @throws SetupError with the missing programs and the command that installs them.
 */
export async function ensurePrograms(programs: Program[], log: Log): Promise<void> {
  if (allMissing(programs).length === 0) return;
  if (!canAptInstall()) throw new SetupError(missingSentence(allMissing(programs)));
  // One apt-get at a time, in all processes.
  await withLock('apt-get', log, async () => {
    const missing = allMissing(programs);
    if (missing.length > 0) await aptInstall(missing, log);
  });
  const missing = allMissing(programs);
  if (missing.length > 0) throw new SetupError(missingSentence(missing));
}

function allMissing(programs: Program[]): Program[] {
  return programs.filter(({ names }) => !findProgram(...names));
}

/** Returns the mirror of this machine's own packages. */
export async function debianMirror(): Promise<string> {
  const command = ['indextargets', '--format', '$(REPO_URI)', 'ORIGIN: Debian', 'LABEL: Debian'];
  const first = () => execFileSync('apt-get', command, { encoding: 'utf8' }).split('\n')[0];
  const known = first();
  if (known) return known;
  await runApt('apt-get', 'update'); // a fresh machine has no lists
  const mirror = first();
  if (mirror) return mirror;
  throw new SetupError('apt-get knows no Debian mirror: add one to /etc/apt/sources.list.');
}

async function aptInstall(missing: Program[], log: Log): Promise<void> {
  const packages = [...new Set(missing.map(({ apt }) => apt))];
  log(`Installing ${packages.join(', ')} with apt-get…`);
  await runApt('dpkg', '--configure', '-a'); // finishes an interrupted run, which blocks others
  await runApt('apt-get', 'update');
  const wait = ['-o', 'DPkg::Lock::Timeout=300']; // somebody else's apt-get
  await runApt('apt-get', 'install', '-y', '--no-install-recommends', ...wait, ...packages);
}

function runApt(...command: [string, ...string[]]): Promise<void> {
  return runToEnd({
    name: command.join(' '),
    command,
    logFile: join(cacheFolder, 'apt-get.log'),
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  });
}

function missingSentence(missing: Program[]): string {
  const names = missing.map(({ names }) => names[0]).join(', ');
  const darwin = process.platform === 'darwin';
  const packages = [...new Set(missing.map(({ apt, brew }) => (darwin && brew) || apt))].join(' ');
  const install = `${darwin ? 'brew' : 'sudo apt-get'} install ${packages}`;
  const instead = missing.flatMap((program) => program.instead ?? []).map((text) => `, or ${text}`);
  return `Not found: ${names}. Install with "${install}"${instead.join('')}.`;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
