import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DryMongoBinary, MongoBinary } from 'mongodb-memory-server-core';
import { MongoBinaryDownloadUrl } from 'mongodb-memory-server-core/lib/util/MongoBinaryDownloadUrl.js';
import { freePort } from '../process/free-port.ts';
import { startProcess } from '../process/owned-process.ts';
import { waitUntilReady } from '../process/wait-until-ready.ts';
import type { Log } from '../setup-error.ts';
import { answersPing, type MongoOptions, type MongoServer } from './mongo-server.ts';

/** Returns the path of the `mongod` that an earlier start has downloaded, if there is one. */
export async function downloadedMongod(): Promise<string | undefined> {
  return DryMongoBinary.locateBinary(DryMongoBinary.getEnsuredOptions()).catch(() => undefined);
}

/**
 * Downloads MongoDB's own `mongod`, once for all projects of this user. Returns undefined where its host cannot be
 * reached: one request with a timeout of two seconds decides, where the library would try for seven seconds.
 */
export async function downloadMongod(log: Log): Promise<string | undefined> {
  try {
    const url = new MongoBinaryDownloadUrl(await DryMongoBinary.generateOptions());
    const address = await url.getDownloadUrl();
    const answer = await fetch(address, { method: 'HEAD', signal: AbortSignal.timeout(2_000) });
    if (!answer.ok) throw new Error(`${address} answered ${answer.status}`);
  } catch (error) {
    const { message, cause } = error as Error;
    log(`mongod is not installed and cannot be downloaded (${(cause as Error)?.message ?? message}).`);
    return undefined;
  }
  log('Downloading mongod…');
  return MongoBinary.getPath();
}

/** Starts a `mongod` for this caller alone. */
export async function startMongod(program: string, { folder, log }: MongoOptions): Promise<MongoServer> {
  const data = join(folder, 'mongodb');
  mkdirSync(data, { recursive: true });
  const port = await freePort();
  log(`Starting ${program}…`);
  const server = startProcess({
    name: 'MongoDB',
    command: [
      program,
      ...['--dbpath', data, '--bind_ip', '127.0.0.1', '--port', String(port)],
      ...['--nounixsocket', '--quiet', '--wiredTigerCacheSizeGB', '0.5'],
    ],
    logFile: join(folder, 'logs', 'mongodb.log'),
  });
  const uri = `mongodb://127.0.0.1:${port}/`;
  await waitUntilReady(server, () => answersPing(uri), 30_000);
  return { uri, description: 'MongoDB', processes: [server], close: server.stop };
}
