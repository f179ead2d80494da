import fp from 'fastify-plugin';
import { beatWhileServing } from '#shared/http/heartbeats.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import type { ApiOptions } from '../config.ts';

/** Tells the dashboard that this process is alive, and what it reaches. */
export default fp(
  async (server: HttpServer, { config }: ApiOptions) => {
    beatWhileServing(server, 'api', server.redis, config.REDIS_PREFIX);
  },
  { name: 'heartbeats', dependencies: ['stores'] },
);
