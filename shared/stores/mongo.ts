import mongoose, { type Connection } from 'mongoose';
import type { Logger } from '#shared/observability/logger.ts';
import { applyMongoDrainWorkaround } from './mongo-drain-workaround.ts';

/**
 * A connection of its own (never mongoose's global one, so tests can hold several).
 *
 * Every operation has a deadline, nothing is buffered while the server is away, and values from a request
 * can never be read as query operators.
 */
export async function connectMongo(uri: string, log: Logger): Promise<Connection> {
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
  connection.on('error', (error) => log.warn({ err: error }, 'mongodb connection'));
  await connection.asPromise();
  applyMongoDrainWorkaround(connection.getClient());
  return connection;
}
