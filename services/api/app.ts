import type { Connection } from 'mongoose';
import { AuditStore } from '#shared/audit/audit-store.ts';
import { observeLogins } from '#shared/audit/record-logins.ts';
import { openTrail } from '#shared/audit/trail.ts';
import { warnOfDemoUsers } from '#shared/auth/demo-users.ts';
import { Login } from '#shared/auth/login.ts';
import { LoginLimit } from '#shared/auth/login-limit.ts';
import { UserStore } from '#shared/auth/user-store.ts';
import { buildHttpServer } from '#shared/http/build-http-server.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import type { Logger } from '#shared/observability/logger.ts';
import type { Tracing } from '#shared/observability/tracing.ts';
import { openMongo } from '#shared/stores/mongo.ts';
import { openOptionalRedis, openRedis, openSubscriberRedis } from '#shared/stores/redis.ts';
import { openBranchesClient } from './branches-client.ts';
import type { ApiConfig } from './config.ts';
import { apiErrors } from './errors.ts';
import { CreationJournal } from './guides/creation-journal.ts';
import { GuideStore } from './guides/guide-store.ts';
import { GuideList } from './guides/listing/guide-list.ts';
import { LabelClient } from './labels/label-client.ts';
import { LabelFilePrinter } from './labels/label-file.ts';
import type { LabelSettings } from './labels/label-payload.ts';
import { readLogo } from './labels/logo.ts';
import { localTimeFormatter } from './local-time.ts';
import { PeriodicWork } from './periodic-work.ts';
import { accountQuota } from './plugins/account-quota.ts';
import { authenticate } from './plugins/authenticate.ts';
import { authorize } from './plugins/authorize.ts';
import { cors } from './plugins/cors.ts';
import { largeBodies } from './plugins/large-bodies.ts';
import { openapi } from './plugins/openapi.ts';
import { tokens } from './plugins/tokens.ts';
import { PersonalDataStore } from './privacy/personal-data-store.ts';
import { Retention } from './privacy/retention.ts';
import { AccountLimitsStore, recentLimits } from './quotas/account-limits.ts';
import { GuideQuota } from './quotas/guide-quota.ts';
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

/** How often a process looks for creations that a crash has cut, in ms. */
const SWEEP_MS = 10_000;

/** Builds the API, not yet listening, whether or not its stores are there; closing it closes all that it opened. */
export function buildApi(config: ApiConfig, log: Logger, tracing?: Tracing): Promise<HttpServer> {
  const { DRAIN_MS: drainMs, TRUST_PROXY: trustProxy } = config;
  return buildHttpServer(
    { log, errors: apiErrors, drainMs, trustProxy, anySlashes: true },
    async (server) => {
      warnOfDemoUsers(config, log);
      const stores = openStores(server, config, tracing);
      startRetention(server, config, stores);
      await addPlugins(server, config);
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
  const labels = new LabelClient({
    redis,
    cache: openOptionalRedis(server, config.LABEL_CACHE_URL, 'label-cache'),
    subscriber: openSubscriberRedis(server, config.LABEL_CACHE_URL),
    prefix: config.REDIS_PREFIX,
    timeoutMs: config.LABEL_TIMEOUT_MS,
    metrics: server.metrics,
    report,
    log: server.log,
    tracing,
  });
  server.addHook('onClose', () => labels.close());
  server.startup.onceConnected('the label queue', () => labels.open());
  const branches = openBranchesClient(server, {
    url: config.BRANCHES_URL,
    token: config.INTERNAL_TOKEN,
    timeoutMs: config.BRANCHES_TIMEOUT_MS,
  });
  const guides = new GuideStore(mongo);
  const journal = openJournal(server, mongo, guides, config.IDEMPOTENCY_KEY_DAYS);
  const list = new GuideList(mongo);
  server.startup.onceConnected('the indexes of the list of guides', () => list.open());
  return {
    mongo,
    redis,
    labels,
    journal,
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

/** Opens the journal of creations, and finishes again and again what a crash has cut. */
function openJournal(
  server: HttpServer,
  mongo: Connection,
  guides: GuideStore,
  keyDays: number,
): CreationJournal {
  const journal = new CreationJournal(mongo, guides, keyDays);
  const sweep = new PeriodicWork({
    periodMs: SWEEP_MS,
    work: () => journal.sweep(server.log),
    onError: (err) => server.log.warn({ err }, 'Creations that were cut wait for the next sweep'),
  });
  server.addHook('onClose', () => sweep.close());
  server.startup.onceConnected('the indexes of the journal of creations', () => journal.open());
  server.startup.onceConnected('creations that a crash has cut', async () => void sweep.start());
  return journal;
}

async function addPlugins(server: HttpServer, config: ApiConfig): Promise<void> {
  await server.register(openapi(config.PUBLIC_URL));
  await server.register(cors(config.CORS_ORIGINS));
  await server.register(
    tokens({
      secret: config.JWT_SECRET,
      previousSecret: config.JWT_SECRET_PREVIOUS,
      ttlS: config.JWT_TTL_S,
    }),
  );
}

async function addRoutes(server: HttpServer, config: ApiConfig, stores: Stores): Promise<void> {
  const { redis, users, limitsOf, guides, list, journal, branches, labels, trail } = stores;
  const prefix = config.REDIS_PREFIX;
  const limit = new LoginLimit(redis, `${prefix}:login`, config.LOGIN_FAILURES_PER_ADDRESS);
  const login = new Login({ users, limit, onAttempt: observeLogins(server, trail, users), rehash: true });
  const localTime = localTimeFormatter(config.TIME_ZONE);
  const requestQuota = new RequestQuota(redis, prefix, stores.report);
  const quota = new GuideQuota(redis, prefix, localTime, stores.report);
  const settings = labelSettings(config);
  await server.register(docsRoutes(config));
  await server.register(loginRoute(login, config.JWT_TTL_S));
  await server.register(async (authenticated) => {
    await authenticated.register(authenticate(users, limitsOf));
    await authenticated.register(accountQuota(requestQuota));
    await authenticated.register(authorize);
    await authenticated.register(largeBodies);
    await authenticated.register(logoutRoute(users, trail));
    await authenticated.register(validateRoute);
    await authenticated.register(myPermissionsRoute);
    await authenticated.register(branchRoutes(branches));
    await authenticated.register(coverageRoute(branches));
    await authenticated.register(destinationRoute(branches));
    await authenticated.register(createRoute({ journal, branches, quota, localTime }));
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
  const { RETENTION_DAYS: days, REDIS_PREFIX: prefix } = config;
  const { log, metrics } = server;
  if (days === 0) {
    log.info('Guides keep names and addresses for ever: RETENTION_DAYS is 0');
    return;
  }
  log.info(`Guides older than ${days} days lose names and addresses: RETENTION_DAYS`);
  const store = new PersonalDataStore(mongo);
  const retention = new Retention({ store, redis, prefix, days, log, metrics });
  server.addHook('onClose', () => retention.close());
  server.startup.onceConnected('retention', async () => retention.start());
}

function labelSettings(config: ApiConfig): LabelSettings {
  return {
    carrier: config.CARRIER_NAME,
    logo: config.CARRIER_LOGO && readLogo(config.CARRIER_LOGO),
    trackingUrl: config.TRACKING_URL,
  };
}
