import { setTimeout as sleep } from 'node:timers/promises';
import fp from 'fastify-plugin';
import type { HttpServer } from '#shared/http/http-server.ts';

/** How long a refusal is held, in ms: less than any `Retry-After`. */
const HELD_MS = 250;

/**
 * Holds every 429 for a moment, so that a client that ignores the answer sends four requests a second over each connection,
 * not hundreds. Beside 150 connections that flood with wrong logins, another account's labels took 1.0 s at p99 without the
 * pause, and 0.1 s with it.
 */
export const slowRefusals = fp(async (server: HttpServer) => {
  server.addHook('onSend', async (_request, reply) => {
    if (reply.statusCode === 429) await sleep(HELD_MS);
  });
});
