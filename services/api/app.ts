import { loginWith } from '#shared/auth/login.ts';
import { LoginLimit } from '#shared/auth/login-limit.ts';
import { UserStore } from '#shared/auth/user-store.ts';
import { buildHttpServer, type HttpServer } from '#shared/http/http-server.ts';
import type { Logger } from '#shared/observability/logger.ts';
import { createMetrics } from '#shared/observability/metrics.ts';
import type { Tracing } from '#shared/observability/tracing.ts';
import { connectMongo } from '#shared/stores/mongo.ts';
import { blockingRedis, connectRedis, measureEviction } from '#shared/stores/redis.ts';
import { createBranchesClient } from './branches/branches-client.ts';
import type { ApiConfig } from './config.ts';
import { apiErrors } from './errors.ts';
import { createGuides } from './guides/create-guides.ts';
import { findGuide } from './guides/find-guide.ts';
import { GuideStore } from './guides/guide-store.ts';
import { IdempotencyStore } from './guides/idempotency-store.ts';
import { localTime } from './guides/local-time.ts';
import { LabelClient } from './labels/label-client.ts';
import { readLogo } from './labels/logo.ts';
import { authenticate } from './plugins/authenticate.ts';
import { cors } from './plugins/cors.ts';
import { openapi } from './plugins/openapi.ts';
import { requestLimit } from './plugins/request-limit.ts';
import { tokens } from './plugins/tokens.ts';
import { loginRoute } from './routes/api/auth/login.ts';
import { createRoute } from './routes/api/guias/crear.ts';
import { labelRoutes } from './routes/api/guias/etiqueta.ts';
import { sessionRoutes } from './routes/api/session.ts';
import { branchRoutes, destinationRoute } from './routes/api/sucursales.ts';

/** The API with everything it needs open, not yet listening; `close()` closes all of it. */
export async function buildApi(config: ApiConfig, log: Logger, tracing?: Tracing): Promise<HttpServer> {
  const mongo = await connectMongo(config.MONGODB_URI, log);
  const redis = await connectRedis(config.REDIS_URL, log);
  const metrics = createMetrics();
  measureEviction(redis, metrics);
  const blocking = blockingRedis(config.REDIS_URL, log);
  const arrivals = blockingRedis(config.REDIS_URL, log);
  const labels = new LabelClient({
    redis,
    blocking,
    arrivals,
    prefix: config.REDIS_PREFIX,
    deadlineMs: config.LABEL_TIMEOUT_MS,
    log,
    metrics,
    tracing,
  });
  await labels.open();
  const branches = createBranchesClient({
    url: config.BRANCHES_URL,
    token: config.INTERNAL_TOKEN,
    deadlineMs: config.BRANCHES_TIMEOUT_MS,
  });
  const users = new UserStore(mongo);
  const guides = new GuideStore(mongo);
  const keys = new IdempotencyStore(mongo);
  await keys.open();

  const server = buildHttpServer({
    log,
    metrics,
    errors: apiErrors,
    drainMs: config.DRAIN_MS,
    trustProxy: config.TRUST_PROXY.split(',').filter(Boolean),
    ready: { mongodb: async () => mongo.db?.admin().ping(), redis: () => redis.ping() },
    softDependencies: { branches: branches.ping },
  });
  server.addHook('onClose', async () => {
    await labels.close();
    blocking.disconnect();
    arrivals.disconnect();
    redis.disconnect();
    await branches.close();
    await mongo.close();
  });

  // The schemas of routes document and serialise. Requests are checked by the use cases, with the same schemas,
  // since the contract fixes the order of the checks and the wording of what is wrong.
  server.setValidatorCompiler(() => () => true);
  await server.register(openapi);
  await server.register(cors(config.CORS_ORIGINS));
  const countOf = (name: string, perMinute: number) =>
    requestLimit(redis, { prefix: config.REDIS_PREFIX, name, perMinute });
  const countAddress = countOf('address', config.REQUESTS_PER_MINUTE_PER_ADDRESS);
  server.addHook('onRequest', ({ ip, routeOptions }) =>
    routeOptions.config.quiet ? Promise.resolve() : countAddress(ip),
  );
  const secrets = { secret: config.JWT_SECRET, previousSecret: config.JWT_SECRET_PREVIOUS };
  await server.register(tokens({ ...secrets, ttlS: config.JWT_TTL_S }));
  const loginLimit = new LoginLimit(redis, config.REDIS_PREFIX, {
    perUser: config.LOGIN_FAILURES_PER_USER,
    perAddress: config.LOGIN_FAILURES_PER_ADDRESS,
  });
  await server.register(loginRoute(loginWith(users, loginLimit), config.JWT_TTL_S), { prefix: '/api/auth' });
  await server.register(async (authenticated) => {
    await authenticated.register(authenticate(users, countOf('user', config.REQUESTS_PER_MINUTE_PER_USER)));
    const create = createGuides({ guides, keys, branches, localTime: localTime(config.TIME_ZONE) });
    const labelSettings = {
      carrier: config.CARRIER_NAME,
      logo: config.CARRIER_LOGO && readLogo(config.CARRIER_LOGO),
      trackingUrl: config.TRACKING_URL,
    };
    await authenticated.register(sessionRoutes, { prefix: '/api' });
    await authenticated.register(branchRoutes(branches), { prefix: '/api/sucursales' });
    await authenticated.register(destinationRoute(branches), { prefix: '/api/guias' });
    await authenticated.register(createRoute(create), { prefix: '/api/guias' });
    await authenticated.register(labelRoutes(findGuide(guides), labels, labelSettings), {
      prefix: '/api/guias',
    });
  });
  return server;
}
