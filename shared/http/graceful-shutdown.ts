import { setTimeout as sleep } from 'node:timers/promises';
import type { HttpServer } from './http-server.ts';

/**
 * How a server leaves without a client noticing: it says that it goes (it is not ready, and every answer ends its
 * connection), serves on for `drainMs` while whoever balances the load turns to others, then takes no more
 * connections, and closes when the last request is answered.
 *
 * Fastify ends the connections of requests that begin meanwhile, but not of those that had begun before: they would
 * stay open, idle, and the server with them, for as long as the client keeps them.
 *
 * @returns whether it goes.
 */
export function addGracefulShutdown(server: HttpServer, drainMs: number): () => boolean {
  let closing = false;
  server.addHook('preClose', async () => {
    closing = true;
    await sleep(drainMs);
  });
  server.addHook('onSend', async (_request, reply) => {
    if (closing) reply.header('connection', 'close');
  });
  return () => closing;
}
