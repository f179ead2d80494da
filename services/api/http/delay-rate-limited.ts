import { setTimeout as sleep } from 'node:timers/promises';
import type { HttpServer } from '#shared/http/http-server.ts';

/** In ms: less than any `Retry-After`. */
const HELD_MS = 250;

/**
 * Delays every 429, so that a client that ignores it sends four requests a second over a connection, not hundreds.
 * Otherwise a flood of wrong logins slows the labels of other accounts.
 */
export function delayRateLimited(server: HttpServer): void {
  server.addHook('onSend', async (_request, reply) => {
    if (reply.statusCode === 429) await sleep(HELD_MS);
  });
}
