import fp from 'fastify-plugin';
import type { Connection } from 'mongoose';
import type { HttpServer } from '#shared/http/http-server.ts';
import { openMongo } from '#shared/stores/mongo.ts';
import { openRedis } from '#shared/stores/redis.ts';
import type { RedisClient } from '#shared/stores/redis-client.ts';
import type { ApiOptions } from '../config.ts';

declare module 'fastify' {
  interface FastifyInstance {
    mongo: Connection;
    /** The Redis of the queue and of all counts. */
    redis: RedisClient;
  }
}

/** Opens the connections to MongoDB and Redis. Whatever depends on this plugin closes before they do. */
export const storesPlugin = fp(async (server: HttpServer, { config }: ApiOptions) => {
  server.decorate('mongo', openMongo(server, config.MONGODB_URI));
  server.decorate('redis', openRedis(server, config.REDIS_URL, config.REDIS_PREFIX));
});
