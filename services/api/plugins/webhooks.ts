import fp from 'fastify-plugin';
import { Pool } from 'undici';
import type { ProbeOutcome, ProbeRequest } from '#shared/contracts/webhook.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import { WebhookStore } from '#shared/stores/webhook-store.ts';
import type { ApiOptions } from '../config.ts';
import { callInternal } from '../internal-call.ts';

declare module 'fastify' {
  interface FastifyInstance {
    webhooks: WebhookStore;
    /**
     * Has the webhooks service, which alone may reach the internet, send a message that tries a webhook.
     *
     * @throws DomainError `unavailable`; what undici throws.
     */
    probe(request: ProbeRequest, requestId: string): Promise<ProbeOutcome>;
  }
}

/** Time limit of a call to the webhooks service, in ms: longer than the 15 s that a receiver has. */
const TIMEOUT_MS = 18_000;
/** Most calls under way at a time, so that those who try webhooks that hang take few of this process's connections. */
const MAX_CALLS = 20;

export default fp(
  async (server: HttpServer, { config }: ApiOptions) => {
    const webhooks = new WebhookStore(server.mongo);
    server.startup.onceConnected('the indexes of the webhooks', () => webhooks.open());
    const pool = new Pool(config.WEBHOOKS_URL, {
      connections: MAX_CALLS,
      connect: { timeout: 1_000 },
      headersTimeout: TIMEOUT_MS,
      bodyTimeout: TIMEOUT_MS,
    });
    server.addHook('onClose', () => pool.destroy());
    server.decorate('webhooks', webhooks);
    server.decorate('probe', (body: ProbeRequest, requestId: string) =>
      callInternal<ProbeOutcome>(pool, {
        service: 'webhooks',
        token: config.INTERNAL_TOKEN,
        path: '/internal/probe',
        requestIds: [requestId],
        body,
        signal: AbortSignal.timeout(TIMEOUT_MS),
      }),
    );
  },
  { name: 'webhooks', dependencies: ['stores'] },
);
