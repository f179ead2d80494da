import { buildHttpServer } from '#shared/http/build-http-server.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import type { Logger } from '#shared/observability/logger.ts';
import { openMongo } from '#shared/stores/mongo.ts';
import { openRedis } from '#shared/stores/redis.ts';
import { BranchCache } from './cache/branch-cache.ts';
import type { BranchesConfig } from './config.ts';
import { internalRoutes } from './routes/internal.ts';
import { BranchStore } from './store/branch-store.ts';

/** Builds the branches service, not yet listening, whether or not its stores are there; closing it closes all that it opened. */
export function buildBranches(config: BranchesConfig, log: Logger): Promise<HttpServer> {
  return buildHttpServer({ log, drainMs: config.DRAIN_MS }, async (server) => {
    const mongo = openMongo(server, config.MONGODB_URI);
    const redis = openRedis(server, config.REDIS_URL, config.REDIS_PREFIX);
    const cache = new BranchCache(redis, config.REDIS_PREFIX, new BranchStore(mongo), log, server.metrics);
    server.addHook('onClose', async () => cache.close());
    server.startup.onceConnected('the branch cache', () => cache.open());
    const tokens = [config.INTERNAL_TOKEN, config.INTERNAL_TOKEN_PREVIOUS].filter(
      (token) => token !== undefined,
    );
    await server.register(internalRoutes(cache, tokens), { prefix: '/internal' });
  });
}
