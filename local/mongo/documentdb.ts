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
 * DocumentDB (a PostgreSQL extension) and FerretDB: a database with MongoDB's protocol, for machines that reach only
 * package registries. Debian 12 is older than DocumentDB, so a newer Debian is unpacked in the cache (its root).
 * FerretDB is built from Go modules. Both run inside that root as its user `postgres`.
 */

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

/** Longest wait for the end of the former PostgreSQL, in ms. */
const START_TIMEOUT_MS = 20_000;

/** Starts a server for this caller alone. One that is not durable leaves nothing behind. */
export async function startDocumentDb({ folder, durable, log }: MongoOptions): Promise<MongoServer> {
  log('Starting DocumentDB and FerretDB…');
  const name = durable ? keyOf(folder) : basename(makeTemporaryFolder(databases));
  const data = join(databases, name);
  if (!existsSync(join(data, 'data'))) copyTemplate(data);

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
    if (!durable) rmSync(data, { recursive: true, force: true });
  };
  return { uri, description: 'DocumentDB', processes: [postgres, ferret], close };
}

/** `settings` asks for this extension's indexes. */
function addOrderedIndexes(name: string, folder: string): Promise<void> {
  const sql = 'set client_min_messages = warning; create extension if not exists documentdb_extended_rum';
  return runToEnd({
    name: 'psql',
    command: insideRoot(root, 'psql', '-h', `/docdb/${name}`, '-U', 'postgres', '-qc', sql),
    logFile: join(folder, 'logs', 'psql.log'),
  });
}

export function removeDocumentDbData(folder: string): void {
  rmSync(join(databases, keyOf(folder)), { recursive: true, force: true });
}

/** A whole copy gets its name; an interrupted one is made again. */
function copyTemplate(folder: string): void {
  const partial = join(folder, 'data.partial');
  rmSync(partial, { recursive: true, force: true });
  const owned = ['-o', 'postgres', '-m', '0700'];
  execFileSync('chroot', [root, 'install', '-d', ...owned, `/docdb/${basename(folder)}`]);
  execFileSync('cp', ['-a', '--reflink=auto', join(databases, 'template', 'data'), partial]);
  renameSync(partial, join(folder, 'data'));
}

/**
 * Repeats the start for some seconds. After a `kill -9` of its parent the former PostgreSQL may still be closing, or
 * not yet be reaped. Its lock files then stop the next one, and removing them loses data.
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
