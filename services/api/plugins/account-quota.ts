import fp from 'fastify-plugin';
import type { HttpServer } from '#shared/http/http-server.ts';
import { QuotaExceeded } from '../quotas/account-limits.ts';
import type { RequestQuota } from '../quotas/request-quota.ts';
import { apiUser } from './authenticate.ts';
import { addRateLimit } from './rate-limit-headers.ts';

/**
 * Refuses the requests of an account beyond its limit, before anything is read or looked up for them, and tells every
 * caller how many are left (docs/contract.md "Limits"). Adds the headers of a limit that any route of the scope throws as
 * `QuotaExceeded`.
 */
export function accountQuota(quota: RequestQuota) {
  return fp(
    async (server: HttpServer) => {
      server.addHook('onRequest', async (request, reply) => {
        const { account, limits } = apiUser(request);
        addRateLimit(reply, await quota.take(account, limits));
      });
      server.setErrorHandler((error, _request, reply) => {
        if (error instanceof QuotaExceeded) addRateLimit(reply, error.state);
        throw error; // the server's own handler answers
      });
    },
    { name: 'account-quota', dependencies: ['authenticate'] },
  );
}
