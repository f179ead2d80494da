import { mongo } from 'mongoose';
import type { OwnedProcess } from '../process/owned-process.ts';
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

/** Tells whether a server answers MongoDB's driver; rejects where there is no connection. */
export async function answersPing(uri: string): Promise<boolean> {
  const client = new mongo.MongoClient(uri, { serverSelectionTimeoutMS: 1_000 });
  try {
    return (await client.db('admin').command({ ping: 1 })).ok === 1;
  } finally {
    await client.close();
  }
}
