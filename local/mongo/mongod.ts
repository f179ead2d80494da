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
  /** `MONGODB_URI` as given, or our own server's address, which ends in `/` without a database. */
  uri: string;
  description: string;
  /** Empty for `MONGODB_URI`. */
  processes: OwnedProcess[];
  close(): Promise<void>;
};

/** `durable`: whether the files in `folder` outlive the server. */
export type MongoOptions = { folder: string; durable: boolean; log: Log };

export async function downloadedMongod(): Promise<string | undefined> {
  return DryMongoBinary.locateBinary(DryMongoBinary.getEnsuredOptions()).catch(() => undefined);
}

/**
 * Downloads `mongod` once for all projects of this user.
 * @returns undefined if its host does not answer within two seconds; the library would try for seven.
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

/** Rejects without a connection. */
export async function answersPing(uri: string): Promise<boolean> {
  // The driver would wait half a second before it looks again for a server that has not been there.
  const client = new mongo.MongoClient(uri, { serverSelectionTimeoutMS: 1_000, minHeartbeatFrequencyMS: 20 });
  try {
    return (await client.db('admin').command({ ping: 1 })).ok === 1;
  } finally {
    await client.close();
  }
}
