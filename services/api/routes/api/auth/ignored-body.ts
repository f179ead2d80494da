import type { IncomingMessage } from 'node:http';
import { DomainError } from '#shared/errors.ts';
import type { HttpServer } from '#shared/http/http-server.ts';

/**
 * Makes the routes of a scope accept any body and ignore it, also an empty one that is marked as JSON. Nothing of it is
 * kept, and one over the usual limit is refused with DomainError `body-too-large`.
 */
export function ignoreBodies(server: HttpServer): void {
  const limit = server.initialConfig.bodyLimit ?? 0;
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', (_request, payload, done) => {
    drain(payload, limit, (error) => done(error));
  });
}

/** Reads a body to its end, or until it is longer than `limit` bytes; then Fastify closes the connection. */
function drain(body: IncomingMessage, limit: number, done: (error: Error | null) => void): void {
  let received = 0;
  const end = (error: Error | null) => {
    body.removeAllListeners('data').removeAllListeners('end').removeAllListeners('error');
    body.on('error', () => {}); // the connection is closed while some of the body is on its way
    done(error);
  };
  body.on('data', (chunk: Buffer) => {
    received += chunk.length;
    if (received > limit) end(new DomainError('body-too-large'));
  });
  body.on('end', () => end(null)).on('error', (cause) => end(new DomainError('bad-request', { cause })));
}
