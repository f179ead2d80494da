import { AuditStore } from '#shared/audit/audit-store.ts';
import { observeLogins } from '#shared/audit/record-logins.ts';
import { openTrail } from '#shared/audit/trail.ts';
import { warnOfDemoUsers } from '#shared/auth/demo-users.ts';
import { createLogin } from '#shared/auth/login.ts';
import { LoginLimit } from '#shared/auth/login-limit.ts';
import { UserStore } from '#shared/auth/user-store.ts';
import { labelShards } from '#shared/contracts/label-shards.ts';
import { pageReservations } from '#shared/contracts/page-reservations.ts';
import { buildHttpServer } from '#shared/http/build-http-server.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import type { Logger } from '#shared/observability/logger.ts';
import type { Tracing } from '#shared/observability/tracing.ts';
import { openMongo } from '#shared/stores/mongo.ts';
import { openListeningRedis, openOptionalRedis, openRedis, openShardRedis } from '#shared/stores/redis.ts';
import type { RedisClient } from '#shared/stores/redis-client.ts';
import { openBranchesClient } from './branches/branches-client.ts';
import type { ApiConfig } from './config.ts';
import { apiErrors } from './errors.ts';
import { CreationSweep } from './guides/creations/creation-sweep.ts';
import { GuideQuota } from './guides/guide-quota.ts';
import { GuideStore } from './guides/guide-store.ts';
import { IdempotencyStore } from './guides/idempotency-store.ts';
import { GuideList } from './guides/listing/guide-list.ts';
import { ListUpkeep } from './guides/listing/list-upkeep.ts';
import { localTimeFormatter } from './guides/local-time.ts';
import { LabelClient } from './labels/label-client.ts';
import { LabelFilePrinter } from './labels/label-file-printer.ts';
import type { LabelSettings } from './labels/label-payload.ts';
import { readLogo } from './labels/logo.ts';
import { accountQuota } from './plugins/account-quota.ts';
import { authenticate } from './plugins/authenticate.ts';
import { authorize } from './plugins/authorize.ts';
import { cors } from './plugins/cors.ts';
import { largeBodies } from './plugins/large-bodies.ts';
import { openapi } from './plugins/openapi.ts';
import { requestLimit } from './plugins/request-limit.ts';
import { slowRefusals } from './plugins/slow-refusals.ts';
import { tokens } from './plugins/tokens.ts';
import { PersonalDataStore } from './privacy/personal-data-store.ts';
import { Retention } from './privacy/retention.ts';
import { AccountLimitsStore, recentLimits } from './quotas/account-limits.ts';
import { QuotaReport } from './quotas/quota-report.ts';
import { RequestQuota } from './quotas/request-quota.ts';
import { myPermissionsRoute } from './routes/api/apipermissions/my-permissions.ts';
import { loginRoute } from './routes/api/auth/login.ts';
import { logoutRoute } from './routes/api/auth/logout.ts';
import { validateRoute } from './routes/api/auth/validate.ts';
import { docsRoutes } from './routes/api/docs/index.ts';
import { createRoute } from './routes/api/guias/crear.ts';
import { labelRoutes } from './routes/api/guias/etiqueta.ts';
import { labelFileRoute } from './routes/api/guias/etiquetas.ts';
import { guideRoutes } from './routes/api/guias/guia.ts';
import { listRoute } from './routes/api/guias/listar.ts';
import { validationRoute } from './routes/api/guias/validar.ts';
import { destinationRoute } from './routes/api/guias/validar-destino.ts';
import { coverageRoute } from './routes/api/sucursales/cobertura.ts';
import { branchRoutes } from './routes/api/sucursales/index.ts';

/** Builds the API, not yet listening, whether or not its stores are there; closing it closes all that it opened. */
export function buildApi(config: ApiConfig, log: Logger, tracing?: Tracing): Promise<HttpServer> {
  const { DRAIN_MS: drainMs, TRUST_PROXY: trustProxy } = config;
  return buildHttpServer(
    { log, errors: apiErrors, drainMs, trustProxy, anySlashes: true },
    async (server) => {
      warnOfDemoUsers(config, log);
      const stores = openStores(server, config, tracing);
      startRetention(server, config, stores);
      await addPlugins(server, config, stores);
      await addRoutes(server, config, stores);
    },
  );
}

type Stores = ReturnType<typeof openStores>;

function openStores(server: HttpServer, config: ApiConfig, tracing: Tracing | undefined) {
  const mongo = openMongo(server, config.MONGODB_URI);
  const audit = new AuditStore(mongo);
  server.startup.onceConnected('the indexes of the audit trail', () => audit.open());
  const redis = openRedis(server, config.REDIS_URL, config.REDIS_PREFIX);
  const report = new QuotaReport(server.metrics, server.log);
  const shards = openShards(server, config, redis, tracing);
  const labels = new LabelClient({ shards, metrics: server.metrics, report });
  server.addHook('onClose', () => labels.close());
  server.startup.onceConnected('the label queue', () => labels.open());
  const keys = new IdempotencyStore(mongo, config.IDEMPOTENCY_KEY_DAYS);
  server.startup.onceConnected('the index of the idempotency keys', () => keys.open());
  const branches = openBranchesClient(server, {
    url: config.BRANCHES_URL,
    token: config.INTERNAL_TOKEN,
    timeoutMs: config.BRANCHES_TIMEOUT_MS,
  });
  const guides = new GuideStore(mongo);
  const sweep = new CreationSweep(guides, server.log);
  server.addHook('onClose', () => sweep.close());
  server.startup.onceConnected('the end of creations that a crash has cut', async () => sweep.start());
  const list = new GuideList(mongo, guides.outcomes);
  const upkeep = new ListUpkeep(list, server.log);
  server.addHook('onClose', () => upkeep.close());
  server.startup.onceConnected('the list of guides', () => upkeep.start());
  return {
    mongo,
    redis,
    labels,
    keys,
    branches,
    report,
    trail: openTrail(server, 'api', audit),
    guides,
    list,
    users: new UserStore(mongo, { allowDemo: config.ALLOW_DEMO_USERS }),
    limitsOf: recentLimits(new AccountLimitsStore(mongo), {
      requestsPerSecond: config.REQUESTS_PER_SECOND_PER_ACCOUNT,
      requestsBurst: config.REQUESTS_BURST_PER_ACCOUNT,
      guidesPerDay: config.GUIDES_PER_DAY_PER_ACCOUNT,
      labelPages: config.LABEL_PAGES_PER_ACCOUNT,
    }),
  };
}

/** Opens the Redis of each shard of the labels; one that is away costs its own labels alone. */
function openShards(
  server: HttpServer,
  config: ApiConfig,
  common: RedisClient,
  tracing: Tracing | undefined,
) {
  const { LABEL_CACHE_URL: cacheUrl, LABEL_TIMEOUT_MS: timeoutMs, REDIS_PREFIX: commonPrefix } = config;
  const reservations = pageReservations(common, commonPrefix, timeoutMs);
  const shards = labelShards(config);
  return shards.map((shard) => {
    const { name, url, prefix } = shard;
    const redis = openShardRedis(server, config, shard, common);
    const cacheName = name === '0' ? 'label-cache' : `label-cache-${name}`;
    return {
      name,
      prefix,
      redis,
      labels: cacheUrl ? openOptionalRedis(server, cacheUrl, { name: cacheName, prefix }) : redis,
      listening: openListeningRedis(server, url),
      reservations,
      timeoutMs,
      log: shards.length > 1 ? server.log.child({ shard: name }) : server.log,
      tracing,
    };
  });
}

async function addPlugins(server: HttpServer, config: ApiConfig, { redis }: Stores): Promise<void> {
  await server.register(slowRefusals);
  await server.register(openapi(config.PUBLIC_URL));
  await server.register(cors(config.CORS_ORIGINS));
  await server.register(
    requestLimit(redis, {
      prefix: config.REDIS_PREFIX,
      name: 'address',
      perMinute: config.REQUESTS_PER_MINUTE_PER_ADDRESS,
      keyOf: ({ ip, routeOptions }) => (routeOptions.config.quiet ? undefined : ip),
    }),
  );
  await server.register(
    tokens({
      secret: config.JWT_SECRET,
      previousSecret: config.JWT_SECRET_PREVIOUS,
      ttlS: config.JWT_TTL_S,
    }),
  );
}

async function addRoutes(server: HttpServer, config: ApiConfig, stores: Stores): Promise<void> {
  const { redis, users, limitsOf, guides, list, keys, branches, labels, trail } = stores;
  const prefix = config.REDIS_PREFIX;
  const limit = new LoginLimit(redis, `${prefix}:login`, {
    perUser: config.LOGIN_FAILURES_PER_USER,
    perAddress: config.LOGIN_FAILURES_PER_ADDRESS,
  });
  const login = createLogin({ users, limit, onAttempt: observeLogins(server, trail, users), rehash: true });
  const userLimit = requestLimit(redis, {
    prefix,
    name: 'user',
    perMinute: config.REQUESTS_PER_MINUTE_PER_USER,
    keyOf: ({ apiUser }) => apiUser?.username,
  });
  const localTime = localTimeFormatter(config.TIME_ZONE);
  const quotas = openQuotas(server, config, stores, localTime);
  const settings = labelSettings(config);
  await server.register(docsRoutes(config));
  await server.register(loginRoute(login, config.JWT_TTL_S));
  await server.register(async (authenticated) => {
    await authenticated.register(authenticate(users, limitsOf));
    await authenticated.register(accountQuota(quotas.requests, stores.report));
    await authenticated.register(userLimit);
    await authenticated.register(authorize);
    await authenticated.register(largeBodies);
    await authenticated.register(logoutRoute(users, trail));
    await authenticated.register(validateRoute);
    await authenticated.register(myPermissionsRoute);
    await authenticated.register(branchRoutes(branches));
    await authenticated.register(coverageRoute(branches));
    await authenticated.register(destinationRoute(branches));
    await authenticated.register(createRoute({ guides, keys, branches, quota: quotas.guides, localTime }));
    await authenticated.register(validationRoute(branches));
    await authenticated.register(listRoute(list));
    await authenticated.register(guideRoutes({ guides, trail }));
    await authenticated.register(labelRoutes({ guides, labels, settings, trail }));
    const files = new LabelFilePrinter({ labels, timeoutMs: config.LABEL_FILE_TIMEOUT_MS });
    await authenticated.register(labelFileRoute({ guides, labels, settings, trail, files }));
  });
}

/** Starts to anonymise old guides, or says in the log that guides are kept as they are. */
function startRetention(server: HttpServer, config: ApiConfig, { mongo, redis }: Stores): void {
  const { RETENTION_DAYS: days, REDIS_PREFIX: prefix, TIME_ZONE: timeZone } = config;
  const { log, metrics } = server;
  if (days === 0) {
    log.info('Guides keep names and addresses for ever: RETENTION_DAYS is 0');
    return;
  }
  log.info(`Guides older than ${days} days lose names and addresses: RETENTION_DAYS`);
  const localTime = localTimeFormatter(timeZone);
  const store = new PersonalDataStore(mongo);
  const retention = new Retention({ store, redis, prefix, days, localTime, log, metrics });
  server.addHook('onClose', () => retention.close());
  server.startup.onceConnected('retention', async () => retention.start());
}

function openQuotas(
  server: HttpServer,
  { REDIS_PREFIX: prefix }: ApiConfig,
  { redis, report }: Stores,
  localTime: (moment: Date) => string,
) {
  const requests = new RequestQuota(redis, prefix, report);
  const guides = new GuideQuota(redis, prefix, localTime, report);
  server.addHook('onClose', async () => {
    requests.close();
    guides.close();
  });
  return { requests, guides };
}

function labelSettings(config: ApiConfig): LabelSettings {
  return {
    carrier: config.CARRIER_NAME,
    logo: config.CARRIER_LOGO && readLogo(config.CARRIER_LOGO),
    trackingUrl: config.TRACKING_URL,
  };
}
