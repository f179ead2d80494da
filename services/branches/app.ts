import { buildHttpServer, type HttpServer } from '#shared/http/http-server.ts';
import type { Logger } from '#shared/observability/logger.ts';
import { createMetrics } from '#shared/observability/metrics.ts';
import { connectMongo } from '#shared/stores/mongo.ts';
import { connectRedis, measureEviction } from '#shared/stores/redis.ts';
import { BranchCache } from './cache/branch-cache.ts';
import type { BranchesConfig } from './config.ts';
import { internalRoutes } from './routes/internal.ts';
import { BranchStore } from './store/branch-store.ts';

/** The branches service with everything it needs open, not yet listening; `close()` closes all of it. */
export async function buildBranches(config: BranchesConfig, log: Logger): Promise<HttpServer> {
  const mongo = await connectMongo(config.MONGODB_URI, log);
  const redis = await connectRedis(config.REDIS_URL, log);
  const metrics = createMetrics();
  measureEviction(redis, metrics);
  const cache = new BranchCache(redis, config.REDIS_PREFIX, new BranchStore(mongo), log, metrics);
  await cache.open();

  const server = buildHttpServer({
    log,
    metrics,
    drainMs: config.DRAIN_MS,
    ready: { mongodb: async () => mongo.db?.admin().ping(), redis: () => redis.ping() },
  });
  server.addHook('onClose', async () => {
    cache.close();
    redis.disconnect();
    await mongo.close();
  });
  const tokens = [config.INTERNAL_TOKEN, config.INTERNAL_TOKEN_PREVIOUS].filter(
    (token) => token !== undefined,
  );
  await server.register(internalRoutes(cache, tokens), { prefix: '/internal' });
  return server;
}
