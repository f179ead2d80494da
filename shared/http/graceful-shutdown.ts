import { setTimeout as sleep } from 'node:timers/promises';
import type { HttpServer } from './http-server.ts';

/**
 * Adds a shutdown that no client notices: the server reports not ready, sends `Connection: close`, keeps serving for
 * `drainMs` while load balancers turn away from it, then takes no more connections and closes when the last request
 * is answered. A server that never listened closes at once.
 *
 * Fastify sends `Connection: close` only for requests that begin during the shutdown. The connections of those that
 * began before would stay open and idle, and keep the server from closing, for as long as the client likes.
 *
 * @returns whether the server is closing.
 */
export function addGracefulShutdown(server: HttpServer, drainMs: number): () => boolean {
  let closing = false;
  server.addHook('preClose', async () => {
    closing = true;
    if (server.server.listening) await sleep(drainMs);
  });
  server.addHook('onSend', async (_request, reply) => {
    if (closing) reply.header('connection', 'close');
  });
  return () => closing;
}
