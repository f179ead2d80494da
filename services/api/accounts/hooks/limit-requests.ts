import type { FastifyReply } from 'fastify';
import type { HttpServer } from '#shared/http/http-server.ts';
import { LimitReached, type LimitState } from '../account-limits.ts';
import type { Accounts } from '../open.ts';
import { apiUser } from './authenticate.ts';

/**
 * Refuses requests beyond the account's limit before anything is read for them, and reports what is left
 * (docs/contract.md "Limits"). Adds the headers of each `LimitReached` that a route throws.
 */
export function limitRequests(server: HttpServer, { requestLimit }: Accounts): void {
  server.addHook('onRequest', async (request, reply) => {
    const { account, settings } = apiUser(request);
    addRateLimit(reply, await requestLimit.take(account, settings));
  });
  server.setErrorHandler((error, _request, reply) => {
    if (error instanceof LimitReached) addRateLimit(reply, error.state);
    throw error; // the server's own handler answers
  });
}

/**
 * Adds a limit to the lists `RateLimit` and `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers-10). Errors keep
 * them.
 */
export function addRateLimit(reply: FastifyReply, state: LimitState): void {
  const { policy, max, windowS, remaining, resetS } = state;
  const window = windowS === undefined ? '' : `;w=${windowS}`;
  const reset = resetS === undefined ? '' : `;t=${resetS}`;
  append(reply, 'ratelimit-policy', `"${policy}";q=${max}${window}`);
  append(reply, 'ratelimit', `"${policy}";r=${remaining}${reset}`);
}

function append(reply: FastifyReply, name: string, item: string): void {
  const before = reply.getHeader(name);
  reply.header(name, before === undefined ? item : `${before}, ${item}`);
}
