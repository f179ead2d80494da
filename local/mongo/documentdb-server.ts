import { execFileSync } from 'node:child_process';
import { existsSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { keyOf, makeTemporaryFolder } from '../folders.ts';
import { freePort } from '../process/free-port.ts';
import { type OwnedProcess, startProcess } from '../process/owned-process.ts';
import { runToEnd } from '../process/run-to-end.ts';
import { waitUntilReady } from '../process/wait-until-ready.ts';
import { databases, ferretDbProgram, insideRoot, root } from './documentdb-root.ts';
import { answersPing, type MongoOptions, type MongoServer } from './mongo-server.ts';
import { startPostgres } from './postgres.ts';

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

/** Adds the extension that `postgres.ts` names for indexes. */
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
      return await startPostgres({ root, name, durable }, { logFile });
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await sleep(250);
    }
  }
}
