import fp from 'fastify-plugin';
import type { Connection } from 'mongoose';
import type { HttpServer } from '#shared/http/http-server.ts';
import type { Collection } from '#shared/stores/collection.ts';
import { DatabaseClock } from '#shared/stores/database-clock.ts';
import { openMongo } from '#shared/stores/mongo.ts';
import { writing } from '#shared/stores/mongo-check.ts';
import { PROCESSES, ProcessRegistry } from '#shared/stores/process-registry.ts';
import { openRedis } from '#shared/stores/redis.ts';
import type { RedisClient } from '#shared/stores/redis-client.ts';
import type { ApiOptions } from '../config.ts';
import { IndexKeeper } from './index-keeper.ts';

declare module 'fastify' {
  interface FastifyInstance {
    mongo: Connection;
    databaseClock: DatabaseClock;
    indexes: IndexKeeper;
    /** The processes of this cell. */
    processes: ProcessRegistry;
    redis: RedisClient;
  }
}

/** Opens MongoDB and Redis. Plugins that depend on this one close first. */
export const storesPlugin = fp(async (server: HttpServer, { config }: ApiOptions) => {
  const mongo = openMongo(server, config.MONGODB_URI, writing('api'));
  server.decorate('mongo', mongo);
  const clock = new DatabaseClock(mongo);
  server.startup.onceConnected("the database's clock", () => clock.now());
  server.decorate('databaseClock', clock);
  server.decorate('indexes', keepIndexes(server));
  openIndexes(server, PROCESSES);
  server.decorate('processes', new ProcessRegistry(mongo, config.CELL));
  server.decorate('redis', openRedis(server, config.REDIS_URL, config.REDIS_PREFIX));
});

/** Creates the indexes of collections once MongoDB is connected, and again when they are missing. */
export function openIndexes({ indexes }: HttpServer, ...collections: readonly Collection[]): void {
  for (const collection of collections) indexes.add(collection);
}

function keepIndexes(server: HttpServer): IndexKeeper {
  const keeper = new IndexKeeper(server.mongo, server.log);
  let stop = async () => {};
  server.addHook('onClose', () => stop());
  server.startup.onceConnected('the indexes of MongoDB', async () => {
    await keeper.check();
    stop = keeper.keepChecking();
  });
  return keeper;
}
