import type { FastifyRequest } from 'fastify';
import type { AuditAction } from '#shared/audit/audit-store.ts';
import type { GuideRecord } from '../guides/guide-store.ts';
import { apiUser } from './authenticate.ts';

/**
 * Records who reads guides or labels of other accounts, which takes `guias.read.all`: one event for each account, with
 * its guides.
 */
export function recordForeign(
  request: FastifyRequest,
  action: Extract<AuditAction, `${string}.read-other`>,
  guides: readonly GuideRecord[],
): void {
  const user = apiUser(request);
  for (const [account, own] of Map.groupBy(guides, (guide) => guide.account)) {
    if (account === user.account) continue;
    const [guide = '', ...more] = new Set(own.map(({ number }) => number));
    request.server.trail.record({
      action,
      actor: user.username,
      account: user.account,
      address: request.ip,
      requestId: request.id,
      subject: account,
      outcome: 'ok',
      details: more.length > 0 ? { guides: [guide, ...more] } : { guide },
    });
  }
}
