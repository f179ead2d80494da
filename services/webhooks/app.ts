import { openUserActions } from '#shared/actions/action-trouble.ts';
import { openAuditLog } from '#shared/audit/audit-log.ts';
import { AuditStore } from '#shared/audit/audit-store.ts';
import { splitList } from '#shared/config/networks.ts';
import { DomainError } from '#shared/errors/domain-error.ts';
import { buildHttpServer } from '#shared/http/build-http-server.ts';
import { beatWhileServing } from '#shared/http/heartbeats.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import { requireInternalToken } from '#shared/http/internal-calls.ts';
import type { Logger } from '#shared/observability/logger.ts';
import { DatabaseClock } from '#shared/stores/database-clock.ts';
import { openMongo } from '#shared/stores/mongo.ts';
import { writing } from '#shared/stores/mongo-check.ts';
import { ProcessRegistry } from '#shared/stores/process-registry.ts';
import { openOptionalRedis } from '#shared/stores/redis.ts';
import { EventLog } from '#shared/tracking/event-log.ts';
import { canaryWebhook } from '#shared/webhooks/canary-address.ts';
import { NewsLog } from '#shared/webhooks/news-log.ts';
import { publicOrIn } from '#shared/webhooks/public-address.ts';
import { TestEventOutcome, TestEventRequest } from '#shared/webhooks/webhook.ts';
import { WebhookFigures } from '#shared/webhooks/webhook-figures.ts';
import { WebhookStore } from '#shared/webhooks/webhook-store.ts';
import type { WebhooksConfig } from './config.ts';
import { testEvent } from './message.ts';
import { createWebhookMetrics } from './metrics.ts';
import { proxyConnector } from './proxy-connector.ts';
import { directConnector } from './public-addresses.ts';
import { Sender } from './sender.ts';
import { Slots } from './slots.ts';
import { WebhookClient } from './webhook-client.ts';
import { WebhookLeases } from './webhook-leases.ts';

/** Most test events at a time, in all and for one account. The api sends one at a time for each webhook. */
const TEST_EVENTS = { inAll: 50, ofOne: 2 };

/**
 * Builds the service that sends events to webhooks, not yet listening, even while MongoDB is away. It alone may reach
 * the internet.
 */
export function buildWebhooks(config: WebhooksConfig, log: Logger): Promise<HttpServer> {
  return buildHttpServer({ log, drainMs: config.DRAIN_MS }, async (server) => {
    const mongo = openMongo(server, config.MONGODB_URI, writing('webhooks'));
    const clock = new DatabaseClock(mongo);
    server.startup.onceConnected("the database's clock", () => clock.now());
    const redis = openOptionalRedis(server, config.REDIS_URL, config.REDIS_PREFIX);
    const { actions } = openUserActions(server, redis, config.REDIS_PREFIX, ['webhook']);
    beatWhileServing(server, 'webhooks', redis, config, (at) => ({ actions: actions.report(at) }), {
      ...{ in: new ProcessRegistry(mongo, config.CELL), service: 'webhooks' },
    });
    const auditLog = openAuditLog(server, 'webhooks', new AuditStore(mongo));
    const webhooks = new WebhookStore(mongo, config);
    const events = new EventLog(mongo);
    const news = new NewsLog(mongo);
    const { CANARY_URL, CELL: cell } = config;
    const canary = CANARY_URL === undefined ? undefined : { url: canaryWebhook(CANARY_URL), cell };
    const client = new WebhookClient(connectorOf(config), () => clock.estimate(), { canary });
    const metrics = createWebhookMetrics(server.metrics, new WebhookFigures(mongo));
    const testEvents = new Slots(TEST_EVENTS.inAll, TEST_EVENTS.ofOne);
    const { secrets } = webhooks;
    const leases = new WebhookLeases(mongo);
    const sender = new Sender({
      cell,
      leases,
      secrets,
      events,
      news,
      client,
      metrics,
      actions,
      auditLog,
      log,
    });
    server.startup.onceConnected('the webhooks', async () => sender.start());
    server.addHook('onClose', async () => {
      await sender.close();
      await client.close();
    });
    const onRequest = requireInternalToken(config);
    server.get('/internal/health', { config: { quiet: true }, onRequest }, async () => ({ status: 'ok' }));
    server.post(
      '/internal/probe',
      {
        onRequest,
        schema: { body: TestEventRequest, response: { 200: TestEventOutcome } },
      },
      async ({ body }) => {
        const webhook = await webhooks.find(body.account, body.webhook);
        if (!webhook) throw new DomainError('no-route');
        const { url, canaryOf } = webhook;
        const secrets = await webhooks.secrets.of(webhook.id);
        if (secrets.length === 0) throw new DomainError('no-route'); // the webhook has just been removed
        const sending = testEvents.run(body.account, () =>
          client.post({ url, secrets, canaryOf }, testEvent(new Date(clock.estimate()))),
        );
        if (!sending) throw new DomainError('unavailable');
        return sending;
      },
    );
  });
}

function connectorOf(config: WebhooksConfig) {
  const { WEBHOOKS_PROXY_URL: url, WEBHOOKS_PROXY_LOGIN: login } = config;
  const isPublic = publicOrIn(splitList(config.WEBHOOKS_ALLOW_NETWORKS));
  const isAllowed = config.WEBHOOKS_ALLOW_PRIVATE ? () => true : isPublic;
  return url === undefined ? directConnector(isAllowed) : proxyConnector({ url, login }, isAllowed);
}
