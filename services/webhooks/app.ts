import { AuditStore } from '#shared/audit/audit-store.ts';
import { openTrail } from '#shared/audit/trail.ts';
import { ProbeOutcome, ProbeRequest } from '#shared/contracts/webhook.ts';
import { DomainError } from '#shared/errors/domain-error.ts';
import { buildHttpServer } from '#shared/http/build-http-server.ts';
import { beatWhileServing } from '#shared/http/heartbeats.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import { requireInternalToken } from '#shared/http/internal-calls.ts';
import type { Logger } from '#shared/observability/logger.ts';
import { EventLog } from '#shared/stores/event-log.ts';
import { openMongo } from '#shared/stores/mongo.ts';
import { openOptionalRedis } from '#shared/stores/redis.ts';
import { WebhookStore } from '#shared/stores/webhook-store.ts';
import type { WebhooksConfig } from './config.ts';
import { probeMessage } from './message.ts';
import { createWebhookMetrics } from './metrics.ts';
import { Places } from './places.ts';
import { Poster } from './post.ts';
import { anyConnector, publicConnector } from './public-addresses.ts';
import { Sender } from './sender.ts';

/** Most test events at a time, in all and of one account. The api sends one at a time for each webhook. */
const PROBES = { inAll: 50, ofOne: 2 };

/**
 * Builds the service that sends events to webhooks, not yet listening, even while MongoDB is away. It alone may reach
 * the internet.
 */
export function buildWebhooks(config: WebhooksConfig, log: Logger): Promise<HttpServer> {
  return buildHttpServer({ log, drainMs: config.DRAIN_MS }, async (server) => {
    const mongo = openMongo(server, config.MONGODB_URI);
    const redis = openOptionalRedis(server, config.REDIS_URL, config.REDIS_PREFIX);
    beatWhileServing(server, 'webhooks', redis, config.REDIS_PREFIX);
    const trail = openTrail(server, 'webhooks', new AuditStore(mongo));
    const webhooks = new WebhookStore(mongo);
    const events = new EventLog(mongo);
    const poster = new Poster(config.WEBHOOKS_ALLOW_PRIVATE ? anyConnector() : publicConnector());
    const metrics = createWebhookMetrics(server.metrics, webhooks);
    const probes = new Places(PROBES.inAll, PROBES.ofOne);
    const sender = new Sender({ webhooks, events, poster, metrics, trail, log });
    server.startup.onceConnected('the webhooks', async () => sender.start());
    server.addHook('onClose', async () => {
      await sender.close();
      await poster.close();
    });
    const tokens = [config.INTERNAL_TOKEN, config.INTERNAL_TOKEN_PREVIOUS].filter(
      (token) => token !== undefined,
    );
    server.post(
      '/internal/probe',
      {
        onRequest: requireInternalToken(tokens),
        schema: { body: ProbeRequest, response: { 200: ProbeOutcome } },
      },
      async ({ body }) => {
        const webhook = await webhooks.find(body.account, body.webhook);
        if (!webhook) throw new DomainError('no-route');
        const secrets = await webhooks.secretsOf(webhook);
        if (secrets.length === 0) throw new DomainError('no-route'); // it has just been removed
        const sending = probes.run(body.account, () =>
          poster.post({ url: webhook.url, secrets }, probeMessage()),
        );
        if (!sending) throw new DomainError('unavailable');
        return sending;
      },
    );
  });
}
