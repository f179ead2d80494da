import {
  CitiesRequest,
  CitiesResponse,
  ResolveRequest,
  ResolveResponse,
  VersionResponse,
} from '#shared/branches/branch.ts';
import { BranchStore, GENERATIONS } from '#shared/branches/branch-store.ts';
import { buildHttpServer } from '#shared/http/build-http-server.ts';
import { beatWhileServing } from '#shared/http/heartbeats.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import { requireInternalToken } from '#shared/http/internal-calls.ts';
import type { Logger } from '#shared/observability/logger.ts';
import { openMongo } from '#shared/stores/mongo.ts';
import { reading } from '#shared/stores/mongo-check.ts';
import { openOptionalRedis } from '#shared/stores/redis.ts';
import { BranchCache } from './branch-cache.ts';
import { BranchLookup } from './branch-lookup.ts';
import type { BranchesConfig } from './config.ts';

/** Builds the branches service, not yet listening, even while its stores are away. */
export function buildBranches(config: BranchesConfig, log: Logger): Promise<HttpServer> {
  return buildHttpServer({ log, drainMs: config.DRAIN_MS }, async (server) => {
    const lookup = openLookup(server, config, log);
    await server.register(internalRoutes(lookup, config), { prefix: '/internal' });
  });
}

/** Without Redis each lookup asks MongoDB, so only MongoDB is required. */
function openLookup(server: HttpServer, config: BranchesConfig, log: Logger): BranchLookup {
  const { MONGODB_URI, REDIS_URL, REDIS_PREFIX: prefix } = config;
  const store = new BranchStore(openMongo(server, MONGODB_URI, reading(GENERATIONS)));
  const redis = openOptionalRedis(server, REDIS_URL, prefix);
  beatWhileServing(server, 'branches', redis, config);
  const cache = new BranchCache(redis, prefix);
  const lookup = new BranchLookup({ store, cache, log, metrics: server.metrics });
  server.addHook('onClose', async () => lookup.close());
  server.startup.onceConnected('the branch cache', () => lookup.open());
  return lookup;
}

/** These routes need an internal token, because clients call the API only. */
function internalRoutes(lookup: BranchLookup, config: BranchesConfig) {
  return async (server: HttpServer) => {
    server.addHook('onRequest', requireInternalToken(config));
    server.post(
      '/resolve',
      { schema: { body: ResolveRequest, response: { 200: ResolveResponse } } },
      ({ body }) => lookup.resolve(body),
    );
    server.post(
      '/cities',
      { schema: { body: CitiesRequest, response: { 200: CitiesResponse } } },
      ({ body }) => lookup.cities(body),
    );
    server.get(
      '/version',
      { config: { quiet: true }, schema: { response: { 200: VersionResponse } } },
      async () => ({
        version: lookup.version(),
      }),
    );
    server.get('/branches', async (_request, reply) =>
      reply.type('application/json').send(await lookup.active()),
    );
    server.get('/coverage', async (_request, reply) =>
      reply.type('application/json').send(await lookup.coverage()),
    );
  };
}
