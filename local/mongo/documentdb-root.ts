import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder } from '../folders.ts';
import { type OwnedProcess, startProcess } from '../process/owned-process.ts';
import { waitUntilReady } from '../process/wait-until-ready.ts';

/** The root of DocumentDB and FerretDB, and the PostgreSQL in it. The root is made while npm installs, so nothing here needs a package. */

// Raise the number when the steps that make the root change: then another root is made.
export const home = join(cacheFolder, 'documentdb-1');
export const root = join(home, 'root');
/** With a folder for each database. */
export const databases = join(root, 'docdb');
export const postgresPrograms = '/usr/lib/postgresql/18/bin';

export const ferretSource = join(import.meta.dirname, 'ferretdb');
/** Inside the root. The name has the source's hash, so an old program is never used for new source. */
export const ferretDbProgram = `/usr/local/bin/ferretdb-${sourceHash()}`;

/** Each of the two gets its name only when it is finished. */
export function documentDbIsReady(): boolean {
  return existsSync(root) && existsSync(join(root, ferretDbProgram));
}

export function insideRoot(folder: string, ...command: string[]): [string, ...string[]] {
  return insideRootUntil('INT', folder, ...command);
}

/** @param deathSignal comes when the parent dies. It is set after the user, whose change would clear it. */
function insideRootUntil(deathSignal: string, folder: string, ...command: string[]): [string, ...string[]] {
  const user = ['--reuid', 'postgres', '--regid', 'postgres', '--clear-groups'];
  return ['chroot', folder, 'setpriv', ...user, '--pdeathsig', deathSignal, '--', ...command];
}

function sourceHash(): string {
  const hash = createHash('sha256');
  for (const name of ['main.go', 'go.mod', 'go.sum']) hash.update(readFileSync(join(ferretSource, name)));
  return hash.digest('hex').slice(0, 12);
}

/**
 * Serves `/docdb/<name>/data` of the root on a socket in `/docdb/<name>`. Only its own user may enter that folder, so
 * every connection can be trusted.
 */
export async function startPostgres(where: {
  root: string;
  name: string;
  durable: boolean;
  logFile: string;
}): Promise<OwnedProcess> {
  const { root, name, durable, logFile } = where;
  const folder = `/docdb/${name}`;
  const server = startProcess({
    name: 'PostgreSQL',
    logFile,
    stopSignal: durable ? 'SIGINT' : 'SIGQUIT', // "fast", or "immediate", without a last checkpoint
    stopTimeoutMs: 30_000,
    // Each of its processes has a group of its own, and only this signal ends one that is busy.
    killSignal: 'SIGQUIT',
    command: insideRootUntil(
      'QUIT',
      root,
      `${postgresPrograms}/postgres`,
      ...['-D', `${folder}/data`],
      ...settings(folder, durable),
    ),
  });
  const pidFile = join(root, folder, 'data', 'postmaster.pid');
  await waitUntilReady(server, async () => isReady(pidFile, server), 30_000);
  return server;
}

function settings(folder: string, durable: boolean): string[] {
  const values = {
    // Without this library an index gives no order, and every sort would read all documents.
    'documentdb.alternate_index_handler_name': 'extended_rum',
    shared_preload_libraries: 'pg_cron,pg_documentdb_core,pg_documentdb,pg_documentdb_extended_rum',
    'cron.database_name': 'postgres',
    'cron.host': folder,
    'cron.use_background_workers': 'on',
    'cron.log_run': 'off',
    'cron.log_statement': 'off',
    'documentdb.localhost_connection_string': `host=${folder}`,
    listen_addresses: '',
    unix_socket_directories: folder,
    max_connections: '100',
    shared_buffers: '256MB',
    log_checkpoints: 'off',
    ...(!durable && { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
  };
  return Object.entries(values).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

/** The first line of the file is the pid, the eighth the state. */
function isReady(pidFile: string, { pid }: OwnedProcess): boolean {
  const lines = readFileSync(pidFile, 'utf8').split('\n');
  return lines[0] === String(pid) && lines[7]?.trim() === 'ready';
}
