import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { cacheFolder, keyOf, makeTemporaryFolder } from '../folders.ts';
import { freePort } from '../process/free-port.ts';
import { type OwnedProcess, runToEnd, startProcess } from '../process/owned-process.ts';
import { waitUntilReady } from '../process/wait-until-ready.ts';
import { answersPing, type MongoOptions, type MongoServer } from './mongod.ts';

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

/** Longest wait for the former PostgreSQL to be gone, in ms. */
const START_TIMEOUT_MS = 20_000;

/** Starts a PostgreSQL with its FerretDB for this caller alone. One that is not durable leaves nothing behind. */
export async function startDocumentDb({ folder, durable, log }: MongoOptions): Promise<MongoServer> {
  log('Starting DocumentDB and FerretDB…');
  const name = durable ? keyOf(folder) : basename(makeTemporaryFolder(databases));
  const place = join(databases, name);
  if (!existsSync(join(place, 'data'))) copyTemplate(place);

  const postgres = await retryStartPostgres(name, durable, join(folder, 'logs', 'postgres.log'));
  await addOrderedIndexes(name, folder);
  const port = await freePort();
  const socket = `/docdb/${name}`;
  const ferret = startProcess({
    name: 'FerretDB',
    command: insideRoot(
      root,
      ...[ferretDbProgram, `postgres://postgres@/postgres?host=${socket}`, `127.0.0.1:${port}`, socket],
    ),
    logFile: join(folder, 'logs', 'ferretdb.log'),
  });
  const uri = `mongodb://127.0.0.1:${port}/`;
  await waitUntilReady(ferret, () => answersPing(uri), 30_000);

  const close = async () => {
    await ferret.stop();
    await postgres.stop();
    if (!durable) rmSync(place, { recursive: true, force: true });
  };
  return { uri, description: 'DocumentDB', processes: [postgres, ferret], close };
}

/** Adds the extension whose indexes `settings` asks for. */
function addOrderedIndexes(name: string, folder: string): Promise<void> {
  const sql = 'set client_min_messages = warning; create extension if not exists documentdb_extended_rum';
  return runToEnd({
    name: 'psql',
    command: insideRoot(root, 'psql', '-h', `/docdb/${name}`, '-U', 'postgres', '-qc', sql),
    logFile: join(folder, 'logs', 'psql.log'),
  });
}

/** Deletes the data of the durable server of `folder`. */
export function removeDocumentDbData(folder: string): void {
  rmSync(join(databases, keyOf(folder)), { recursive: true, force: true });
}

/** Copies the empty database. The copy gets its name when it is whole: an interrupted copy is made again. */
function copyTemplate(place: string): void {
  const partial = join(place, 'data.partial');
  rmSync(partial, { recursive: true, force: true });
  const owned = ['-o', 'postgres', '-m', '0700'];
  execFileSync('chroot', [root, 'install', '-d', ...owned, `/docdb/${basename(place)}`]);
  execFileSync('cp', ['-a', '--reflink=auto', join(databases, 'template', 'data'), partial]);
  renameSync(partial, join(place, 'data'));
}

/**
 * Starts PostgreSQL, again and again for some seconds. After a `kill -9` of its parent the former PostgreSQL may still be
 * closing, or be dead but not yet reaped, and its lock files then stop the next one. Removing them by hand loses data.
 */
async function retryStartPostgres(name: string, durable: boolean, logFile: string): Promise<OwnedProcess> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  for (;;) {
    try {
      return await startPostgres({ root, name, durable, logFile });
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await sleep(250);
    }
  }
}

/**
 * Starts PostgreSQL with DocumentDB on `/docdb/<name>/data` of the root. It listens on a socket in `/docdb/<name>`, which
 * only its own user may enter: trusting every connection therefore trusts nobody else.
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
    command: insideRoot(
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
    // Without this library an index cannot give documents in its order, as MongoDB's do: every sort would read all.
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

/** PostgreSQL writes its pid in the first line of the file and its state in the eighth. */
function isReady(pidFile: string, { pid }: OwnedProcess): boolean {
  const lines = readFileSync(pidFile, 'utf8').split('\n');
  return lines[0] === String(pid) && lines[7]?.trim() === 'ready';
}
