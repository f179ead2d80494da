import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DryMongoBinary, MongoBinary } from 'mongodb-memory-server-core';
import { MongoBinaryDownloadUrl } from 'mongodb-memory-server-core/lib/util/MongoBinaryDownloadUrl.js';
import { mongo } from 'mongoose';
import { freePort } from '../process/free-port.ts';
import { type OwnedProcess, startProcess } from '../process/owned-process.ts';
import { waitUntilReady } from '../process/wait-until-ready.ts';
import type { Log } from '../setup-error.ts';

export type MongoServer = {
  /** `MONGODB_URI` as it was given, or the address of our own server, which ends in `/`, without a database. */
  uri: string;
  description: string;
  /** The processes that were started for it; none for `MONGODB_URI`. */
  processes: OwnedProcess[];
  close(): Promise<void>;
};

/** Where our own server keeps its files, and whether they survive its end. */
export type MongoOptions = { folder: string; durable: boolean; log: Log };

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

/** Tells whether a server answers MongoDB's driver; rejects where there is no connection. */
export async function answersPing(uri: string): Promise<boolean> {
  const client = new mongo.MongoClient(uri, { serverSelectionTimeoutMS: 1_000 });
  try {
    return (await client.db('admin').command({ ping: 1 })).ok === 1;
  } finally {
    await client.close();
  }
}
