import mongoose, { type Connection, mongo } from 'mongoose';
import { ConfigError } from '#shared/config/load-config.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import type { Logger } from '#shared/observability/logger.ts';
import { applyMongoDrainWorkaround } from './mongo-drain-workaround.ts';

/** MongoDB's code for a document whose `_id` is stored already. */
export const DUPLICATE_KEY = 11_000;

/**
 * Every operation has a deadline, nothing is buffered while the server is away, and values from a request are never
 * read as query operators.
 */
const OPTIONS = {
  bufferCommands: false,
  autoIndex: false,
  autoCreate: false,
  sanitizeFilter: true,
  serverSelectionTimeoutMS: 2_000,
  connectTimeoutMS: 2_000,
  socketTimeoutMS: 15_000,
  waitQueueTimeoutMS: 2_000,
  maxPoolSize: 50,
};

/**
 * Opens a service's connection to MongoDB, whether or not MongoDB is there: it is a required dependency of the server, and
 * closes with it. Until MongoDB is there, operations fail at once.
 *
 * @throws ConfigError when `uri` is none.
 */
export function openMongo(server: HttpServer, uri: string): Connection {
  requireMongoUri(uri);
  const connection = createConnection(server.log);
  server.startup.connect('MongoDB', () => connect(connection, uri));
  server.addHook('onClose', () => connection.close());
  const check = async () => {
    if (!connection.db) throw new Error('MongoDB has not been there since the start');
    await connection.db.admin().ping();
  };
  server.dependencies.set('mongodb', { check, required: true });
  return connection;
}

/**
 * Connects to MongoDB.
 *
 * @throws when MongoDB does not answer within 2 s.
 */
export async function connectMongo(uri: string, log: Pick<Logger, 'warn'>): Promise<Connection> {
  const connection = createConnection(log);
  try {
    await connect(connection, uri);
  } catch (error) {
    await connection.close();
    throw error;
  }
  return connection;
}

/** Never mongoose's global connection, so that tests can hold several. */
function createConnection(log: Pick<Logger, 'warn'>): Connection {
  const connection = mongoose.createConnection();
  connection.on('error', (err) => {
    // Of a connection that was never open, whoever opens it gets the error.
    if (connection.db) log.warn({ err }, 'The connection to MongoDB failed');
  });
  return connection;
}

async function connect(connection: Connection, uri: string): Promise<void> {
  await connection.openUri(uri, { ...OPTIONS });
  applyMongoDrainWorkaround(connection.getClient());
}

/** No restart and no waiting mends a malformed address. */
function requireMongoUri(uri: string): void {
  try {
    new mongo.MongoClient(uri);
  } catch (cause) {
    throw new ConfigError(`Wrong configuration:\n  MONGODB_URI: ${(cause as Error).message}`, { cause });
  }
}
