import { execFileSync } from 'node:child_process';
import { existsSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { keyOf, makeTemporaryFolder } from '../folders.ts';
import { freePort } from '../process/free-port.ts';
import { type OwnedProcess, startProcess } from '../process/owned-process.ts';
import { waitUntilReady } from '../process/wait-until-ready.ts';
import { ferretDbProgram, insideRoot, root, startPostgres } from './documentdb.ts';
import { answersPing, type MongoOptions, type MongoServer } from './mongo-server.ts';

const databases = join(root, 'docdb');

/** A PostgreSQL with its FerretDB for this caller alone. One that is not durable leaves nothing behind. */
export async function startDocumentDb({ folder, durable, log }: MongoOptions): Promise<MongoServer> {
  log('Starting DocumentDB and FerretDB…');
  const name = durable ? keyOf(folder) : basename(makeTemporaryFolder(databases));
  const place = join(databases, name);
  if (!existsSync(join(place, 'data'))) copyTemplate(place);

  const postgres = await startPostgresPatiently(name, durable, join(folder, 'logs', 'postgres.log'));
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

export function removeDocumentDbData(folder: string): void {
  rmSync(join(databases, keyOf(folder)), { recursive: true, force: true });
}

/** The data's own name appears when the copy is whole: an interrupted copy is made again. */
function copyTemplate(place: string): void {
  const partial = join(place, 'data.partial');
  rmSync(partial, { recursive: true, force: true });
  execFileSync('chroot', [
    root,
    'install',
    '-d',
    '-o',
    'postgres',
    '-m',
    '0700',
    `/docdb/${basename(place)}`,
  ]);
  execFileSync('cp', ['-a', '--reflink=auto', join(databases, 'template', 'data'), partial]);
  renameSync(partial, join(place, 'data'));
}

/**
 * After a `kill -9` of its parent the former PostgreSQL may still be closing, or be dead but not yet reaped:
 * its lock files then turn the next one away for a moment. (They are never removed by hand: that is how data
 * is lost.)
 */
async function startPostgresPatiently(
  name: string,
  durable: boolean,
  logFile: string,
): Promise<OwnedProcess> {
  const deadline = Date.now() + 20_000;
  for (;;) {
    try {
      return await startPostgres({ root, name, durable }, { logFile });
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await sleep(250);
    }
  }
}
