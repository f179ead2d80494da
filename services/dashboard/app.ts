import cookies from '@fastify/cookie';
import forms from '@fastify/formbody';
import { Queue } from 'bullmq';
import { createLogin } from '#shared/auth/login.ts';
import { LoginLimit } from '#shared/auth/login-limit.ts';
import { UserStore } from '#shared/auth/user-store.ts';
import { LABEL_QUEUE, type LabelJob } from '#shared/contracts/label-job.ts';
import { buildHttpServer } from '#shared/http/build-http-server.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import type { Logger } from '#shared/observability/logger.ts';
import { openMongo } from '#shared/stores/mongo.ts';
import { openRedis } from '#shared/stores/redis.ts';
import type { DashboardConfig } from './config.ts';
import { dashboardErrors } from './errors.ts';
import { board } from './plugins/bull-board.ts';
import { PAGE_POLICY, protection } from './plugins/csrf.ts';
import { showErrorsAsPages } from './plugins/error-pages.ts';
import { createSessions, requireSession, sessionCookie } from './plugins/session.ts';
import { assets } from './routes/assets.ts';
import { loginPages } from './routes/login-pages.ts';
import { atMostEvery, readQueueState } from './status/queue-state.ts';
import { statusPage } from './views/pages.ts';

/** For all who look at the page together, in ms. */
const STATE_AGE = 1_000;

/** Builds the dashboard with everything that it needs open, not yet listening; closing it closes all of it. */
export function buildDashboard(config: DashboardConfig, log: Logger): Promise<HttpServer> {
  const options = { log, errors: dashboardErrors, pagePolicy: PAGE_POLICY, trustProxy: config.TRUST_PROXY };
  return buildHttpServer(options, (server) => assemble(server, config, log));
}

async function assemble(server: HttpServer, config: DashboardConfig, log: Logger): Promise<void> {
  const prefix = config.REDIS_PREFIX;
  const mongo = await openMongo(server, config.MONGODB_URI);
  const redis = await openRedis(server, config.REDIS_URL);
  const queue = new Queue<LabelJob>(LABEL_QUEUE, { connection: redis, prefix, skipVersionCheck: true });
  queue.on('error', (err) => log.warn({ err }, 'The label queue reports an error'));
  server.addHook('onClose', () => queue.close());

  const users = new UserStore(mongo);
  const sessions = createSessions({ redis, prefix, users, ttlS: config.SESSION_TTL_S });
  const cookie = sessionCookie({ secure: config.COOKIE_SECURE, ttlS: config.SESSION_TTL_S });
  const loginLimit = new LoginLimit(redis, prefix, {
    perUser: config.LOGIN_FAILURES_PER_USER,
    perAddress: config.LOGIN_FAILURES_PER_ADDRESS,
  });
  await server.register(protection);
  server.addHook('onSend', showErrorsAsPages(config.RUNBOOK_URL));
  await server.register(cookies);
  await server.register(forms);
  await server.register(assets);
  await server.register(loginPages({ login: createLogin(users, loginLimit), sessions, cookie }));
  await server.register(async (operators) => {
    operators.addHook('onRequest', requireSession(sessions, cookie.name));
    const state = atMostEvery(STATE_AGE, () => readQueueState({ redis, prefix, queue }));
    operators.get('/', async (request, reply) => {
      const viewer = { username: request.apiUser?.username ?? '', runbookUrl: config.RUNBOOK_URL };
      return reply.type('text/html; charset=utf-8').send(statusPage(await state(), viewer));
    });
    await operators.register(board(queue));
  });
}
