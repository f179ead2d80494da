import fp from 'fastify-plugin';
import { DomainError } from '#shared/errors.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import type { QuotaReport } from '../quotas/quota-report.ts';
import type { RequestQuota } from '../quotas/request-quota.ts';
import { apiUser } from './authenticate.ts';
import { addRateLimit } from './rate-limit-headers.ts';

/**
 * Refuses the requests of an account beyond its limit, before anything is read or looked up for them, and tells every
 * caller how many are left (docs/contract.md "Limits").
 *
 * Its hook throws DomainError `too-many-requests`, with the seconds to wait.
 */
export function accountQuota(quota: RequestQuota, report: QuotaReport) {
  return fp(
    async (server: HttpServer) => {
      server.addHook('onRequest', async (request, reply) => {
        const { account, limits } = apiUser(request);
        const { waitMs, state } = quota.take(account, limits);
        addRateLimit(reply, state);
        if (waitMs === 0) return;
        report.refused('requests', account);
        const seconds = Math.max(1, Math.ceil(waitMs / 1_000));
        throw new DomainError('too-many-requests', { params: { seconds } });
      });
    },
    { name: 'account-quota', dependencies: ['authenticate'] },
  );
}
