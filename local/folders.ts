import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

export const repoRoot = resolve(import.meta.dirname, '..');

/** Data, logs and secrets of the `npm start` of this checkout. */
export const localFolder = join(repoRoot, '.local');

/** All checkouts of this user share it: programs that take long to fetch or build. */
export const cacheFolder = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'shipping-guides');

/** Returns a short name for a path or a lock, the same in every process. */
export function keyOf(name: string): string {
  return createHash('sha256').update(name).digest('hex').slice(0, 12);
}

/** Makes a folder that lives as long as this process. First removes the folders of dead processes. */
export function makeTemporaryFolder(parent: string): string {
  mkdirSync(parent, { recursive: true });
  for (const name of readdirSync(parent)) {
    const owner = /^test-(\d+)-/.exec(name)?.[1];
    if (owner && !isAlive(Number(owner))) rmSync(join(parent, name), { recursive: true, force: true });
  }
  const folder = join(parent, `test-${process.pid}-${randomBytes(4).toString('hex')}`);
  mkdirSync(folder);
  return folder;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  // In a container without an init, a dead process can stay a zombie.
  const state = `/proc/${pid}/stat`;
  return !existsSync(state) || !readFileSync(state, 'utf8').includes(') Z ');
}
