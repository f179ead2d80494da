import fp from 'fastify-plugin';
import type { Connection } from 'mongoose';
import { AUDIT } from '#shared/audit/audit-store.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import { createIndexes } from '#shared/stores/collection.ts';
import { DatabaseClock } from '#shared/stores/database-clock.ts';
import { EVENTS } from '#shared/stores/event-model.ts';
import { GUIDES } from '#shared/stores/guide-model.ts';
import { openMongo } from '#shared/stores/mongo.ts';
import { writing } from '#shared/stores/mongo-check.ts';
import { openRedis } from '#shared/stores/redis.ts';
import type { RedisClient } from '#shared/stores/redis-client.ts';
import { WEBHOOKS } from '#shared/stores/webhook-model.ts';
import type { ApiOptions } from '../config.ts';
import { CREATIONS } from '../guides/creation-journal.ts';
import { MANIFESTS } from '../manifests/manifest-model.ts';

declare module 'fastify' {
  interface FastifyInstance {
    mongo: Connection;
    databaseClock: DatabaseClock;
    redis: RedisClient;
  }
}

/** Opens MongoDB and Redis, and creates the indexes. Plugins that depend on this one close first. */
export const storesPlugin = fp(async (server: HttpServer, { config }: ApiOptions) => {
  const mongo = openMongo(server, config.MONGODB_URI, writing('api'));
  for (const collection of [AUDIT, GUIDES, CREATIONS, EVENTS, MANIFESTS, WEBHOOKS]) {
    const what = `the indexes of ${collection.name}`;
    server.startup.onceConnected(what, () => createIndexes(mongo, collection));
  }
  server.decorate('mongo', mongo);
  server.decorate('databaseClock', new DatabaseClock(mongo));
  server.decorate('redis', openRedis(server, config.REDIS_URL, config.REDIS_PREFIX));
});
