import mongoose, { type Connection } from 'mongoose';
import type { HttpServer } from '#shared/http/http-server.ts';
import type { Logger } from '#shared/observability/logger.ts';
import { applyMongoDrainWorkaround } from './mongo-drain-workaround.ts';

/** MongoDB's code for a document whose `_id` is stored already. */
export const DUPLICATE_KEY = 11_000;

/**
 * Opens a service's connection to MongoDB: it is a required dependency of the server, and closes with it.
 *
 * @throws when MongoDB does not answer within 2 s.
 */
export async function openMongo(server: HttpServer, uri: string): Promise<Connection> {
  const connection = await connectMongo(uri, server.log);
  server.addHook('onClose', () => connection.close());
  const check = async () => connection.db?.admin().ping();
  server.dependencies.set('mongodb', { check, required: true });
  return connection;
}

/**
 * Connects to MongoDB. The connection is never mongoose's global one, so that tests can hold several.
 *
 * Every operation has a deadline, nothing is buffered while the server is away, and values from a request are never
 * read as query operators.
 *
 * @throws when MongoDB does not answer within 2 s.
 */
export async function connectMongo(uri: string, log: Pick<Logger, 'warn'>): Promise<Connection> {
  const connection = mongoose.createConnection(uri, {
    bufferCommands: false,
    autoIndex: false,
    autoCreate: false,
    sanitizeFilter: true,
    serverSelectionTimeoutMS: 2_000,
    connectTimeoutMS: 2_000,
    socketTimeoutMS: 15_000,
    waitQueueTimeoutMS: 2_000,
    maxPoolSize: 50,
  });
  connection.on('error', (err) => log.warn({ err }, 'The connection to MongoDB failed'));
  try {
    await connection.asPromise();
  } catch (error) {
    await connection.close();
    throw error;
  }
  applyMongoDrainWorkaround(connection.getClient());
  return connection;
}
