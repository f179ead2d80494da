import { setTimeout as sleep } from 'node:timers/promises';
import fp from 'fastify-plugin';
import type { HttpServer } from '#shared/http/http-server.ts';

/** How long a refusal is held, in ms: less than any `Retry-After`. */
const HELD_MS = 250;

/**
 * Holds every 429 for a moment. A client that ignores the answer then sends four requests a second over each connection.
 * Without the pause it sent thousands, which took a core that others' labels need
 * (docs/decisions/0020-shares-of-the-printers.md).
 */
export const slowRefusals = fp(
  async (server: HttpServer) => {
    server.addHook('onSend', async (_request, reply) => {
      if (reply.statusCode === 429) await sleep(HELD_MS);
    });
  },
  { name: 'slow-refusals' },
);
