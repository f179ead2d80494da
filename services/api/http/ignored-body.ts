import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { DomainError } from '#shared/errors/domain-error.ts';
import type { HttpServer } from '#shared/http/http-server.ts';

/**
 * Makes the routes of a scope accept and ignore any body, also an empty one marked as JSON.
 * @throws DomainError `body-too-large` over the usual limit, `bad-request` for a body that breaks off, in the parser.
 */
export function ignoreBodies(server: HttpServer): void {
  const limit = server.initialConfig.bodyLimit ?? 0;
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', async (_request: FastifyRequest, payload: IncomingMessage) => {
    let received = 0;
    try {
      // The answer needs the connection; Fastify closes it if it answers before the end of the body.
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
