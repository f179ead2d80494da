import {
  CitiesRequest,
  CitiesResponse,
  ResolveRequest,
  ResolveResponse,
  VersionResponse,
} from '#shared/branches/branch.ts';
import { BranchStore, type Dataset, type Directory, GENERATIONS } from '#shared/branches/branch-store.ts';
import { buildHttpServer } from '#shared/http/build-http-server.ts';
import { beatWhileServing } from '#shared/http/heartbeats.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import { requireInternalToken } from '#shared/http/internal-calls.ts';
import type { Logger } from '#shared/observability/logger.ts';
import type { ServiceHeartbeat } from '#shared/stores/heartbeat.ts';
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
  const cache = new BranchCache(redis, prefix);
  const lookup = new BranchLookup({ store, cache, log, metrics: server.metrics });
  server.dependencies.set('directory', { check: async () => lookup.requireWhole(), required: false });
  beatWhileServing(server, 'branches', redis, config, () => reportOf(lookup.directory));
  server.addHook('onClose', async () => lookup.close());
  server.startup.onceConnected('the branch cache', () => lookup.open());
  return lookup;
}

/** Returns what heartbeats say of the directory; nothing until the database has answered once. */
function reportOf(directory: Directory | undefined): Pick<ServiceHeartbeat, 'directory'> {
  if (!directory) return {};
  const { branches, coverage } = directory;
  return {
    directory: {
      ...(branches && { branches: told(branches) }),
      ...(coverage && { coverage: told(coverage) }),
    },
  };
}

function told({ at, by, ...counts }: Dataset) {
  return { ...counts, ...(at && { at: at.getTime() }) };
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
