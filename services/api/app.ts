import { createLogin } from '#shared/auth/login.ts';
import { LoginLimit } from '#shared/auth/login-limit.ts';
import { UserStore } from '#shared/auth/user-store.ts';
import { buildHttpServer } from '#shared/http/build-http-server.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import type { Logger } from '#shared/observability/logger.ts';
import type { Tracing } from '#shared/observability/tracing.ts';
import { openMongo } from '#shared/stores/mongo.ts';
import { openBlockingRedis, openRedis } from '#shared/stores/redis.ts';
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

/** Builds the API with everything that it needs open, not yet listening; closing it closes all of it. */
export function buildApi(config: ApiConfig, log: Logger, tracing?: Tracing): Promise<HttpServer> {
  const { DRAIN_MS: drainMs, TRUST_PROXY: trustProxy } = config;
  return buildHttpServer({ log, errors: apiErrors, drainMs, trustProxy }, (server) =>
    assemble(server, config, log, tracing),
  );
}

async function assemble(
  server: HttpServer,
  config: ApiConfig,
  log: Logger,
  tracing: Tracing | undefined,
): Promise<void> {
  const mongo = await openMongo(server, config.MONGODB_URI);
  const redis = await openRedis(server, config.REDIS_URL);
  const labels = new LabelClient({
    redis,
    blocking: openBlockingRedis(server, config.REDIS_URL),
    arrivals: openBlockingRedis(server, config.REDIS_URL),
    prefix: config.REDIS_PREFIX,
    deadlineMs: config.LABEL_TIMEOUT_MS,
    log,
    metrics: server.metrics,
    tracing,
  });
  server.addHook('onClose', () => labels.close());
  await labels.open();
  const branches = createBranchesClient({
    url: config.BRANCHES_URL,
    token: config.INTERNAL_TOKEN,
    deadlineMs: config.BRANCHES_TIMEOUT_MS,
  });
  server.addHook('onClose', () => branches.close());
  server.dependencies.set('branches', { check: branches.ping, required: false });
  const users = new UserStore(mongo);
  const guides = new GuideStore(mongo);
  const keys = new IdempotencyStore(mongo);
  await keys.open();

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
  await server.register(loginRoute(createLogin(users, loginLimit), config.JWT_TTL_S), {
    prefix: '/api/auth',
  });
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
}
