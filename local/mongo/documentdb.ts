import { execFileSync } from 'node:child_process';
import { existsSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { keyOf, makeTemporaryFolder } from '../folders.ts';
import { freePort } from '../process/free-port.ts';
import { type OwnedProcess, runToEnd, startProcess } from '../process/owned-process.ts';
import { waitUntilReady } from '../process/wait-until-ready.ts';
import { databases, ferretDbProgram, insideRoot, root, startPostgres } from './documentdb-root.ts';
import { answersPing, type MongoOptions, type MongoServer } from './mongod.ts';

/**
 * DocumentDB (a PostgreSQL extension) and FerretDB: a database with MongoDB's protocol, for machines that reach only
 * package registries. Debian 12 is older than DocumentDB, so a newer Debian is unpacked in the cache (its root).
 * FerretDB is built from Go modules. Both run inside that root as its user `postgres`.
 */

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
