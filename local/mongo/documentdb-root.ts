import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder } from '../folders.ts';

/**
 * DocumentDB (a PostgreSQL extension) and FerretDB: a database with MongoDB's protocol for machines that reach
 * package registries only. DocumentDB is newer than Debian 12, so a newer Debian is unpacked in a folder of the cache
 * (its root); FerretDB is built from Go modules. Both run inside that root, as its user `postgres`.
 */

// Raise the number when the steps that make the root change: another root is made, and the old one is left alone.
export const home = join(cacheFolder, 'documentdb-1');
export const root = join(home, 'root');
/** Where each database has its folder, inside the root. */
export const databases = join(root, 'docdb');
export const postgresPrograms = '/usr/lib/postgresql/18/bin';

export const ferretSource = join(import.meta.dirname, 'ferretdb');
/** FerretDB's program inside the root. Each version of the source has a name of its own: an old program is never used for it. */
export const ferretDbProgram = `/usr/local/bin/ferretdb-${sourceHash()}`;

/** Tells whether root and FerretDB are there: each gets its name only when it is finished. */
export function documentDbIsReady(): boolean {
  return existsSync(root) && existsSync(join(root, ferretDbProgram));
}

/**
 * Returns the command that runs a program inside `folder`, as `postgres`. The death signal comes after the user, whose
 * change would clear it.
 */
export function insideRoot(folder: string, ...command: string[]): [string, ...string[]] {
  const user = ['--reuid', 'postgres', '--regid', 'postgres', '--clear-groups', '--pdeathsig', 'INT', '--'];
  return ['chroot', folder, 'setpriv', ...user, ...command];
}

function sourceHash(): string {
  const hash = createHash('sha256');
  for (const name of ['main.go', 'go.mod', 'go.sum']) hash.update(readFileSync(join(ferretSource, name)));
  return hash.digest('hex').slice(0, 12);
}
