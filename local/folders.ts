import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

export const repoRoot = resolve(import.meta.dirname, '..');

/** What every checkout of this user shares: programs that took long to fetch or build. */
export const cacheFolder = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'shipping-guides');

/** A short name for a folder, the same at every start, to keep its data apart from other checkouts'. */
export function keyOf(folder: string): string {
  return createHash('sha256').update(resolve(folder)).digest('hex').slice(0, 12);
}

/**
 * A new folder inside `parent` for as long as this process lives. The folders that dead processes left
 * (a `kill -9` cleans nothing up) are removed first.
 */
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
  // In a container without an init, a dead process can stay for ever, as a zombie.
  const state = `/proc/${pid}/stat`;
  return !existsSync(state) || !readFileSync(state, 'utf8').includes(') Z ');
}
