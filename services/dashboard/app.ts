import { hostname } from 'node:os';
import cookies from '@fastify/cookie';
import forms from '@fastify/formbody';
import { Queue } from 'bullmq';
import { warnOfDemoUsers } from '#shared/accounts/demo-users.ts';
import { Login } from '#shared/accounts/login.ts';
import { LoginLimit } from '#shared/accounts/login-limit.ts';
import { observeLogins } from '#shared/accounts/record-logins.ts';
import { USERS } from '#shared/accounts/user-model.ts';
import { UserStore } from '#shared/accounts/user-store.ts';
import { openAuditLog } from '#shared/audit/audit-log.ts';
import { AuditStore } from '#shared/audit/audit-store.ts';
import { buildHttpServer } from '#shared/http/build-http-server.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import type { Logger } from '#shared/observability/logger.ts';
import { PickupFigures } from '#shared/pickups/overdue-pickups.ts';
import { LABEL_QUEUE, type LabelJob } from '#shared/printing/label-job.ts';
import { DatabaseClock } from '#shared/stores/database-clock.ts';
import { openMongo } from '#shared/stores/mongo.ts';
import { reading } from '#shared/stores/mongo-check.ts';
import { ProcessRegistry } from '#shared/stores/process-registry.ts';
import { openOptionalRedis, openRedis } from '#shared/stores/redis.ts';
import type { RedisClient } from '#shared/stores/redis-client.ts';
import { fingerprintsOf, type Process } from '#shared/stores/shared-settings.ts';
import { EventLog } from '#shared/tracking/event-log.ts';
import { WebhookFigures } from '#shared/webhooks/webhook-figures.ts';
import { WebhookStore } from '#shared/webhooks/webhook-store.ts';
import { bullBoard } from './bull-board.ts';
import { CanaryReader } from './canary-reader.ts';
import type { DashboardConfig } from './config.ts';
import { DiagnosisHistory } from './diagnosis-history.ts';
import { dashboardErrors } from './errors.ts';
import { assetRoutes, PAGE_POLICY, pageSecurity, showErrorsAsPages } from './pages.ts';
import { runbookRoute } from './runbook.ts';
import { loginRoutes, requirePermission, requireSession, Sessions } from './session.ts';
import { pauseRoutes, statusRoute } from './status-page.ts';
import { GuideReader, READ_MS } from './support/guide-reader.ts';
import { PickupReader } from './support/pickup-reader.ts';
import { supportRoutes } from './support/routes.ts';
import { systemStateReader } from './system-state.ts';
import { Watch } from './watch.ts';

/** Builds the dashboard, not yet listening, even while its stores are away. */
export function buildDashboard(config: DashboardConfig, log: Logger): Promise<HttpServer> {
  const { DRAIN_MS: drainMs, TRUST_PROXY: trustProxy } = config;
  const options = { log, errors: dashboardErrors, pagePolicy: PAGE_POLICY, drainMs, trustProxy };
  return buildHttpServer(options, (server) => assemble(server, config, log));
}

async function assemble(server: HttpServer, config: DashboardConfig, log: Logger): Promise<void> {
  warnOfDemoUsers(config, log);
  const prefix = config.REDIS_PREFIX;
  // A page must not wait for one connection that hangs while the others answer.
  const mongo = openMongo(server, config.MONGODB_URI, reading(USERS), { socketTimeoutMS: READ_MS + 1_000 });
  // The status is read every two seconds: reads that nobody waits for any more must not pile up in the database.
  mongo.set('maxTimeMS', READ_MS);
  const auditLog = openAuditLog(server, 'dashboard', new AuditStore(mongo));
  const redis = openRedis(server, config.REDIS_URL, config.REDIS_PREFIX);
  const answers = openOptionalRedis(server, config.LABEL_CACHE_URL, prefix, 'label-cache');
  const queue = openQueue(server, redis, prefix);
  const webhooks = new WebhookStore(mongo);
  const users = new UserStore(mongo, { allowDemo: config.ALLOW_DEMO_USERS });
  const sessions = new Sessions(redis, prefix, users, config.COOKIE_SECURE);
  // The dashboard counts separately, so that login attempts at the API lock out no operators.
  const limit = new LoginLimit(redis, `${prefix}:dashboard-login`, config.LOGIN_FAILURES_PER_ADDRESS);
  const login = new Login({ users, limit, onAttempt: observeLogins(server.metrics, auditLog, users) });
  const { dependencies } = server;
  const canary = new CanaryReader(config.CANARY_URL, log);
  const watch = new Watch({
    canary,
    readState: systemStateReader({
      ...{
        redis,
        prefix,
        queue,
        webhooks: new WebhookFigures(mongo),
        pickups: new PickupFigures(mongo),
        auditLog,
        self: ownProcess(config),
      },
      processes: new ProcessRegistry(mongo, config.CELL),
      clock: new DatabaseClock(mongo),
      canary,
    }),
    history: new DiagnosisHistory(redis, prefix),
    dependencies,
  });
  server.addHook('onReady', async () => watch.start());
  server.addHook('preClose', () => watch.stop());
  await server.register(pageSecurity);
  server.addHook('onSend', showErrorsAsPages(watch));
  await server.register(cookies);
  await server.register(forms);
  await server.register(assetRoutes);
  await server.register(runbookRoute(config));
  await server.register(loginRoutes(sessions, login, auditLog, watch));
  await server.register(async (operators) => {
    operators.addHook('onRequest', requireSession(sessions));
    await operators.register(async (admins) => {
      admins.addHook('onRequest', requirePermission('colas.admin'));
      await admins.register(statusRoute(watch, config));
      await admins.register(pauseRoutes(queue, auditLog));
      await admins.register(bullBoard(queue));
    });
    const guides = new GuideReader(mongo, users);
    const events = new EventLog(mongo);
    const pickups = new PickupReader(mongo);
    const support = {
      guides,
      pickups,
      webhooks,
      events,
      answers,
      prefix,
      auditLog,
      timeZone: config.TIME_ZONE,
      publicUrl: config.PUBLIC_URL,
    };
    await operators.register(supportRoutes(support));
  });
}

/** The dashboard has no heartbeat: it compares its own settings with those of the others. */
function ownProcess(config: DashboardConfig): Process {
  const settings = fingerprintsOf(config);
  return { service: 'dashboard', id: '', host: hostname(), pid: process.pid, startedAt: 0, settings };
}

function openQueue(server: HttpServer, connection: RedisClient, prefix: string): Queue<LabelJob> {
  const queue = new Queue<LabelJob>(LABEL_QUEUE, { connection, prefix, skipVersionCheck: true });
  queue.on('error', (err) => {
    // The store logs a lost connection.
    if (connection.status === 'ready') server.log.warn({ err }, 'The label queue reports an error');
  });
  server.addHook('onClose', () => queue.close());
  return queue;
}
