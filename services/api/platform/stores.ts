import fp from 'fastify-plugin';
import type { Connection } from 'mongoose';
import type { HttpServer } from '#shared/http/http-server.ts';
import { type Collection, createIndexes } from '#shared/stores/collection.ts';
import { DatabaseClock } from '#shared/stores/database-clock.ts';
import { openMongo } from '#shared/stores/mongo.ts';
import { writing } from '#shared/stores/mongo-check.ts';
import { openRedis } from '#shared/stores/redis.ts';
import type { RedisClient } from '#shared/stores/redis-client.ts';
import type { ApiOptions } from '../config.ts';

declare module 'fastify' {
  interface FastifyInstance {
    mongo: Connection;
    databaseClock: DatabaseClock;
    redis: RedisClient;
  }
}

/** Opens MongoDB and Redis. Plugins that depend on this one close first. */
export const storesPlugin = fp(async (server: HttpServer, { config }: ApiOptions) => {
  const mongo = openMongo(server, config.MONGODB_URI, writing('api'));
  server.decorate('mongo', mongo);
  server.decorate('databaseClock', new DatabaseClock(mongo));
  server.decorate('redis', openRedis(server, config.REDIS_URL, config.REDIS_PREFIX));
});

/** Creates the indexes of collections once MongoDB is connected. */
export function openIndexes({ mongo, startup }: HttpServer, ...collections: readonly Collection[]): void {
  for (const collection of collections) {
    startup.onceConnected(`the indexes of ${collection.name}`, () => createIndexes(mongo, collection));
  }
}
