import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { cacheFolder } from '../folders.ts';
import { withLock } from '../process/lock.ts';
import { runToEnd } from '../process/run-to-end.ts';
import { type Log, SetupError } from '../setup-error.ts';

export type Program = {
  /** What it is called on PATH, the best first. */
  names: string[];
  apt: string;
  brew?: string;
  /** What a person can do instead of installing it. */
  instead?: string;
};

/** The path of the first of the names that is on PATH. */
export function findProgram(...names: string[]): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable);
}

/** Whether this process may install Debian packages. */
export function canAptInstall(): boolean {
  return process.getuid?.() === 0 && existsSync('/etc/debian_version') && Boolean(findProgram('apt-get'));
}

/**
 * Makes sure that the programs are on PATH, installing what is missing where that needs nobody's leave.
 *
 * @throws SetupError naming the missing programs and the command that installs them.
 */
export async function ensurePrograms(programs: Program[], log: Log): Promise<void> {
  if (allMissing(programs).length === 0) return;
  if (!canAptInstall()) throw new SetupError(missingSentence(allMissing(programs)));
  // One apt-get at a time: several need programs at once, in this process and in others.
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

/** Debian's lists of packages, which a fresh machine has not. */
export async function updatePackageLists(): Promise<void> {
  await runApt('apt-get', 'update');
}

async function aptInstall(missing: Program[], log: Log): Promise<void> {
  const packages = [...new Set(missing.map(({ apt }) => apt))];
  log(`Installing ${packages.join(', ')} with apt-get…`);
  await runApt('dpkg', '--configure', '-a'); // finishes what an interrupted run left, else nothing installs
  await updatePackageLists();
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
