import fp from 'fastify-plugin';
import type { HttpServer } from '#shared/http/http-server.ts';
import { WebhookStore } from '#shared/stores/webhook-store.ts';
import type { ApiOptions } from '../config.ts';
import { WebhooksClient } from '../webhooks-client.ts';

declare module 'fastify' {
  interface FastifyInstance {
    webhooks: WebhookStore;
    webhooksClient: WebhooksClient;
  }
}

/** Opens the webhooks, and the connections to the service that sends to them. */
export default fp(
  async (server: HttpServer, { config }: ApiOptions) => {
    const webhooks = new WebhookStore(server.mongo);
    server.startup.onceConnected('the indexes of the webhooks', () => webhooks.open());
    const client = new WebhooksClient({ url: config.WEBHOOKS_URL, token: config.INTERNAL_TOKEN });
    server.addHook('onClose', () => client.close());
    server.decorate('webhooks', webhooks);
    server.decorate('webhooksClient', client);
  },
  { name: 'webhooks', dependencies: ['stores'] },
);
