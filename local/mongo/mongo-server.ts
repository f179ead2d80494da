import { mongo } from 'mongoose';
import type { OwnedProcess } from '../process/owned-process.ts';
import type { Log } from '../setup-error.ts';

export type MongoServer = {
  /** One of our own ends in `/`, for the name of a database; that of `MONGODB_URI` is as it was given. */
  uri: string;
  description: string;
  /** Those that we started for it, if any. */
  processes: OwnedProcess[];
  close(): Promise<void>;
};

/** Where a server of our own keeps its files, and whether they are to survive its end. */
export type MongoOptions = { folder: string; durable: boolean; log: Log };

/** Whether a server answers as MongoDB's driver asks. */
export async function answersPing(uri: string): Promise<boolean> {
  const client = new mongo.MongoClient(uri, { serverSelectionTimeoutMS: 1_000 });
  try {
    return (await client.db('admin').command({ ping: 1 })).ok === 1;
  } finally {
    await client.close();
  }
}
