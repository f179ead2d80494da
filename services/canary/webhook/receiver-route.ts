import type { HttpServer } from '#shared/http/http-server.ts';
import type { OwnWebhook } from './own-webhook.ts';

/** More than a message of 100 events (docs/contract.md "Webhooks"). */
const BODY_LIMIT = 200_000;

/** `POST /webhook`: the canary's receiver. The signature is checked before the body is parsed. */
export async function receiverRoute(server: HttpServer, webhook: OwnWebhook): Promise<void> {
  await server.register(async (signed) => {
    signed.removeContentTypeParser('application/json');
    signed.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) =>
      done(null, body),
    );
    signed.post<{ Body: Buffer }>(
      '/webhook',
      { bodyLimit: BODY_LIMIT, config: { quiet: true } },
      async ({ headers, body }, reply) => reply.code(webhook.take(headers, body) ? 204 : 401).send(),
    );
  });
}
