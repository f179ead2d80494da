import { buildHttpServer, type HttpServer } from '../../shared/http-server.ts';
import type { Logger } from '../../shared/logger.ts';
import { connectMongo } from '../../shared/mongo.ts';
import { blockingRedis, connectRedis } from '../../shared/redis.ts';
import { authenticate } from './auth/authenticate.ts';
import { tokens } from './auth/tokens.ts';
import { UserStore } from './auth/user-store.ts';
import type { ApiConfig } from './config.ts';
import { apiErrors } from './errors.ts';
import { createBranchesClient } from './guides/branches-client.ts';
import { createGuides } from './guides/create-guides.ts';
import { findGuide } from './guides/find-guide.ts';
import { GuideStore } from './guides/guide-store.ts';
import { localTime } from './guides/local-time.ts';
import { LabelClient } from './labels/label-client.ts';
import { loginRoute } from './routes/api/auth/login.ts';
import { createRoute } from './routes/api/guias/crear.ts';
import { labelRoutes } from './routes/api/guias/etiqueta.ts';

/** The API with everything it needs open, not yet listening; `close()` closes all of it. */
export async function buildApi(config: ApiConfig, log: Logger): Promise<HttpServer> {
  const mongo = await connectMongo(config.MONGODB_URI, log);
  const redis = await connectRedis(config.REDIS_URL, log);
  const blocking = blockingRedis(config.REDIS_URL, log);
  const labels = new LabelClient({
    redis,
    blocking,
    prefix: config.REDIS_PREFIX,
    deadlineMs: config.LABEL_DEADLINE_MS,
    log,
  });
  await labels.open();
  const branches = createBranchesClient({
    url: config.BRANCHES_URL,
    token: config.INTERNAL_TOKEN,
    deadlineMs: config.BRANCHES_DEADLINE_MS,
  });
  const users = new UserStore(mongo);
  const guides = new GuideStore(mongo);

  const server = buildHttpServer({
    log,
    errors: apiErrors,
    ready: { mongodb: async () => mongo.db?.admin().ping(), redis: () => redis.ping() },
  });
  server.addHook('onClose', async () => {
    await labels.close();
    blocking.disconnect();
    redis.disconnect();
    await branches.close();
    await mongo.close();
  });

  await server.register(tokens({ secret: config.JWT_SECRET, ttlS: config.JWT_TTL_S }));
  await server.register(loginRoute(users, config.JWT_TTL_S), { prefix: '/api/auth' });
  await server.register(async (authenticated) => {
    await authenticated.register(authenticate(users));
    const create = createGuides({ guides, branches, localTime: localTime(config.TIME_ZONE) });
    const labelSettings = { carrier: config.CARRIER_NAME, trackingUrl: config.TRACKING_URL };
    await authenticated.register(createRoute(create), { prefix: '/api/guias' });
    await authenticated.register(labelRoutes(findGuide(guides), labels, labelSettings), {
      prefix: '/api/guias',
    });
  });
  return server;
}
