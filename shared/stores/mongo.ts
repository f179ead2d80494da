import mongoose, { type Connection, mongo } from 'mongoose';
import { ConfigError } from '#shared/config/load-config.ts';
import type { Logger } from '#shared/observability/logger.ts';
import { addGauge } from '#shared/observability/metrics.ts';
import { DatabaseClock } from './database-clock.ts';
import type { ConnectionOwner, Dependency } from './dependencies.ts';
import { applyMongoDrainWorkaround } from './mongo-drain-workaround.ts';

/** MongoDB's code for a document that a unique index refuses, such as one whose `_id` is stored already. */
export const DUPLICATE_KEY = 11_000;

/** Returns whether an insert failed because of a unique index. */
export function isDuplicateKey(error: unknown): boolean {
  return error instanceof mongo.MongoServerError && error.code === DUPLICATE_KEY;
}

/**
 * Returns the errors of single documents of a write of many. If there are none, the write failed as a whole, and nobody
 * knows what was stored.
 */
export function writeErrorsOf(error: unknown): mongo.WriteError[] {
  return error instanceof mongo.MongoBulkWriteError ? [error.writeErrors].flat() : [];
}

/**
 * A write is answered when a majority of the servers has it in its journal, and reads go to the primary. So no failover
 * and no crash takes back an answer. Every operation has a deadline. Nothing is buffered while the server is away.
 * The driver does not repeat writes. If it found no server for the second attempt, its error would hide that the first
 * attempt was sent. Creations repeat their writes themselves (`services/api/guides/creation-journal.ts`).
 */
const OPTIONS = {
  writeConcern: { w: 'majority', journal: true },
  readPreference: 'primary',
  retryWrites: false,
  bufferCommands: false,
  serverSelectionTimeoutMS: 2_000,
  connectTimeoutMS: 2_000,
  socketTimeoutMS: 15_000,
  waitQueueTimeoutMS: 2_000,
  maxPoolSize: 50,
} as const;

/** `notice`: `Dependency` explains it. */
export type MongoCheck = (() => Promise<void>) & Pick<Dependency, 'notice'>;

/**
 * Opens a service's connection to MongoDB, which closes with the server. Until MongoDB answers, operations fail at
 * once.
 * @param checkOf makes what health asks (`mongo-check.ts`).
 * @param options `socketTimeoutMS`: after so long without an answer a connection is closed, if not the usual time.
 * @throws ConfigError when `uri` is malformed, or asks for weaker writes or reads.
 */
export function openMongo(
  server: ConnectionOwner,
  uri: string,
  checkOf: (connection: Connection) => MongoCheck,
  options: Pick<mongo.MongoClientOptions, 'socketTimeoutMS'> = {},
): Connection {
  requireMongoUri(uri);
  const connection = createConnection(server.log);
  server.startup.connect('MongoDB', () => connect(connection, uri, options));
  server.addHook('onClose', () => connection.close());
  const clock = new DatabaseClock(connection);
  const help = "How far the clock of this process is ahead of the database's clock";
  addGauge(
    server.metrics,
    'clock_difference_seconds',
    help,
    async () => (await clock.differenceMs()) / 1_000,
  );
  const check = checkOf(connection);
  const { notice } = check;
  server.dependencies.set('mongodb', { check, required: true, ...(notice && { notice }) });
  return connection;
}

/**
 * @param options take the place of the usual ones.
 * @throws ConfigError as `openMongo` does, or another error if MongoDB does not answer within 2 s, or within the times of `options`.
 */
export async function connectMongo(
  uri: string,
  log: Pick<Logger, 'warn'>,
  options: mongo.MongoClientOptions = {},
): Promise<Connection> {
  requireMongoUri(uri);
  const connection = createConnection(log);
  try {
    await connect(connection, uri, options);
  } catch (error) {
    await connection.close();
    throw error;
  }
  return connection;
}

/** Not mongoose's global connection, so that tests can hold several. */
function createConnection(log: Pick<Logger, 'warn'>): Connection {
  const connection = mongoose.createConnection();
  connection.on('error', (err) => {
    // If the connection was never open, `connect` throws the error.
    if (connection.db) log.warn({ err }, 'The connection to MongoDB failed');
  });
  return connection;
}

async function connect(
  connection: Connection,
  uri: string,
  options: mongo.MongoClientOptions = {},
): Promise<void> {
  await connection.openUri(uri, { ...OPTIONS, ...options });
  applyMongoDrainWorkaround(connection.getClient());
}

/** @throws ConfigError, because a restart mends neither a malformed address nor one that asks for weaker writes. */
function requireMongoUri(uri: string): void {
  const weak = weakOptions(parseMongoUri(uri));
  if (weak.length === 0) return;
  throw new ConfigError(
    `Wrong configuration:\n  MONGODB_URI has ${weak.join(', ')}. Remove that: guides that were answered must survive a failover, so a majority journals every write, and reads go to the primary.`,
  );
}

function parseMongoUri(uri: string): mongo.MongoOptions {
  try {
    return new mongo.MongoClient(uri).options;
  } catch (cause) {
    throw new ConfigError(`Wrong configuration:\n  MONGODB_URI: ${(cause as Error).message}`, { cause });
  }
}

/** Returns the options that could lose an acknowledged write, or read an old state. */
function weakOptions({ writeConcern, readPreference, readConcern }: mongo.MongoOptions): string[] {
  const { w = 'majority', journal = true } = writeConcern ?? {};
  const { mode } = readPreference;
  const { level = 'local' } = readConcern ?? {};
  return [
    ...(w === 'majority' ? [] : [`w=${w}`]),
    ...(journal ? [] : ['journal=false']),
    ...(mode === 'primary' ? [] : [`readPreference=${mode}`]),
    ...(level === 'available' ? ['readConcernLevel=available'] : []),
  ];
}
