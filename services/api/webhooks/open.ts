import { Pool } from 'undici';
import type { HttpServer } from '#shared/http/http-server.ts';
import { addGauge } from '#shared/observability/metrics.ts';
import { countingLimiter } from '#shared/stores/counting-limiter.ts';
import { NewsLog } from '#shared/webhooks/news-log.ts';
import type { TestEventOutcome, TestEventRequest } from '#shared/webhooks/webhook.ts';
import { WEBHOOKS } from '#shared/webhooks/webhook-model.ts';
import { WebhookStore } from '#shared/webhooks/webhook-store.ts';
import type { Accounts } from '../accounts/open.ts';
import type { Base } from '../http/room.ts';
import { callInternal } from '../platform/internal-call.ts';
import { repeatOnceConnected, SWEEP_MS } from '../platform/repeat.ts';
import type { Tracking } from '../tracking/open.ts';
import { COLLECTING_MS, NewsSweep, publisherOf, type Topic } from './news.ts';

/** Time limit of a call to the webhooks service, in ms: longer than the 15 s that a receiver has. */
const TIMEOUT_MS = 18_000;
/** Time limit of a health check, in ms. */
const PING_MS = 1_000;
/** Most calls in flight, so that tests of hanging webhooks take few of this process's connections. */
const MAX_CALLS = 20;
/** Pause between looks for secrets that the current key has not encrypted, in ms. */
const RENEWAL_MS = 60_000;
/** Expiry of the lock if the process dies, in seconds: longer than a call. */
const PROBE_S = 20;

/** What the room provides. */
export type Webhooks = ReturnType<typeof openWebhooks>;
export type WebhooksContext = Base & Accounts & Tracking & Webhooks;

export function openWebhooks(server: HttpServer, context: Base & Tracking) {
  const { config, mongo, redis, indexes } = context;
  indexes.add(WEBHOOKS);
  const webhooks = new WebhookStore(mongo, config);
  const newsLog = new NewsLog(mongo);
  const topics: Topic[] = [];
  sweepNews(server, topics, context);
  context.onEvents.push((account) => wake(context, webhooks, account));
  keepEncrypted(server, webhooks, context);
  const pool = new Pool(config.WEBHOOKS_URL, {
    connections: MAX_CALLS,
    connect: { timeout: 1_000 },
    headersTimeout: TIMEOUT_MS,
    bodyTimeout: TIMEOUT_MS,
  });
  // Not by the pool, because test events may take all of its connections.
  const pinging = new Pool(config.WEBHOOKS_URL, { connections: 1, connect: { timeout: PING_MS } });
  const ping = () =>
    callInternal(pinging, {
      service: 'webhooks',
      token: config.INTERNAL_TOKEN,
      path: '/internal/health',
      requestId: 'health',
      signal: AbortSignal.timeout(PING_MS),
    });
  server.dependencies.set('webhooks', { check: ping, required: false, secret: 'INTERNAL_TOKEN' });
  server.addHook('onClose', () => Promise.all([pool.destroy(), pinging.destroy()]));
  const prefix = `${config.REDIS_PREFIX}:requests-probe`;
  return {
    webhooks,
    newsLog,
    /** Rooms above add theirs. */
    topics,
    publish: publisherOf(webhooks, newsLog),
    /** Lets each account send one test event at a time; kept in Redis, by its clock. */
    probeLimit: countingLimiter(redis, prefix, 1, PROBE_S),
    /**
     * Has the webhooks service, which alone may reach the internet, send a test event.
     *
     * @throws DomainError `unavailable`; `webhook-not-found` if it was removed meanwhile; what undici throws.
     */
    probe: (body: TestEventRequest, requestId: string) =>
      callInternal<TestEventOutcome>(pool, {
        service: 'webhooks',
        token: config.INTERNAL_TOKEN,
        path: '/internal/probe',
        requestId,
        body,
        signal: AbortSignal.timeout(TIMEOUT_MS),
        notFound: 'webhook-not-found',
      }),
  };
}

/** Wakes an account's webhooks for new events. If the call fails, they follow within a minute. */
function wake({ log }: Base, webhooks: WebhookStore, account: string): void {
  webhooks
    .wake(account, COLLECTING_MS)
    .catch((err) => log.warn({ err }, 'Webhooks get new events up to a minute later'));
}

function sweepNews(server: HttpServer, topics: readonly Topic[], { log }: Base): void {
  const news = new NewsSweep(topics);
  const failed = 'What webhooks are told waits for the next sweep';
  repeatOnceConnected(server, { name: 'news', pauseMs: SWEEP_MS, failed }, () => news.sweep(log));
}

/** Encrypts secrets of webhooks anew once there is a key, or another one. */
function keepEncrypted(server: HttpServer, { secrets }: WebhookStore, { config, log, metrics }: Base): void {
  if (config.WEBHOOK_SECRETS_KEY === undefined) {
    log.warn('Secrets of webhooks are stored in clear text: WEBHOOK_SECRETS_KEY is not set');
  }
  addGauge(
    metrics,
    'webhook_secrets_outdated',
    'Webhooks whose secrets are not encrypted with the current key yet',
    () => secrets.countOutdated(),
  );
  const failed = 'Secrets of webhooks are not encrypted with the current key yet';
  repeatOnceConnected(server, { name: 'the secrets of webhooks', pauseMs: RENEWAL_MS, failed }, async () => {
    const renewed = await secrets.renewOutdated();
    if (renewed > 0) log.info(`The secrets of ${renewed} webhooks are stored with the current key`);
  });
}
