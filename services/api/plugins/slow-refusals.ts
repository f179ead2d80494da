import { setTimeout as sleep } from 'node:timers/promises';
import fp from 'fastify-plugin';
import type { HttpServer } from '#shared/http/http-server.ts';

/** How long a refusal is held, in ms: less than any `Retry-After`. */
const HELD_MS = 250;

/**
 * Holds every 429 for a moment. Who sends the next request at the answer, whatever it says, then sends four a second over
 * each connection instead of thousands in all, which took a core that others' labels need
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
