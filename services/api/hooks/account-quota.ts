import type { FastifyReply } from 'fastify';
import fp from 'fastify-plugin';
import type { HttpServer } from '#shared/http/http-server.ts';
import { QuotaExceeded, type QuotaState } from '../accounts/account-limits.ts';
import { apiUser } from './authenticate.ts';

/**
 * Refuses the requests of an account beyond its limit, before anything is read or looked up for them, and tells every
 * caller how many are left (docs/contract.md "Limits"). Adds the headers of a limit that any route of the scope throws as
 * `QuotaExceeded`.
 */
export const accountQuota = fp(async (server: HttpServer) => {
  server.addHook('onRequest', async (request, reply) => {
    const { account, limits } = apiUser(request);
    addRateLimit(reply, await server.requestQuota.take(account, limits));
  });
  server.setErrorHandler((error, _request, reply) => {
    if (error instanceof QuotaExceeded) addRateLimit(reply, error.state);
    throw error; // the server's own handler answers
  });
});

/**
 * Adds a limit to the answer's `RateLimit` and `RateLimit-Policy`, behind those that are there already
 * (draft-ietf-httpapi-ratelimit-headers-10, a list of items each). Also an error keeps them.
 */
export function addRateLimit(reply: FastifyReply, state: QuotaState): void {
  const { policy, quota, windowS, remaining, resetS } = state;
  const window = windowS === undefined ? '' : `;w=${windowS}`;
  const reset = resetS === undefined ? '' : `;t=${resetS}`;
  append(reply, 'ratelimit-policy', `"${policy}";q=${quota}${window}`);
  append(reply, 'ratelimit', `"${policy}";r=${remaining}${reset}`);
}

function append(reply: FastifyReply, name: string, item: string): void {
  const before = reply.getHeader(name);
  reply.header(name, before === undefined ? item : `${before}, ${item}`);
}
