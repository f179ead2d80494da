import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { DomainError } from '#shared/errors/domain-error.ts';
import type { HttpServer } from '#shared/http/http-server.ts';

/**
 * Makes the routes of a scope accept any body and ignore it, also an empty one that is marked as JSON. Nothing of it is
 * kept. One over the usual limit is refused with DomainError `body-too-large`, and one that breaks off with `bad-request`.
 */
export function ignoreBodies(server: HttpServer): void {
  const limit = server.initialConfig.bodyLimit ?? 0;
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', async (_request: FastifyRequest, payload: IncomingMessage) => {
    let received = 0;
    try {
      // The connection must stay for the answer; Fastify closes it after one that came before the body's end.
      for await (const chunk of payload.iterator({ destroyOnReturn: false })) {
        received += chunk.length;
        if (received > limit) break;
      }
    } catch (cause) {
      throw new DomainError('bad-request', { cause });
    }
    if (received > limit) throw new DomainError('body-too-large');
  });
}
