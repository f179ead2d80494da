import type { FastifyRequest } from 'fastify';
import type { AuditAction, AuditEvent } from '#shared/audit/audit-store.ts';
import type { GuideRecord } from '../guides/guide-model.ts';
import { apiUser } from './authenticate.ts';

export function record(
  request: FastifyRequest,
  event: Pick<AuditEvent, 'action' | 'subject' | 'details'>,
): void {
  const { username: actor, account } = apiUser(request);
  const { ip: address, id: requestId } = request;
  request.server.trail.record({ actor, account, address, requestId, outcome: 'ok', ...event });
}

/**
 * Records who reads guides or labels of other accounts, which takes `guias.read.all`: one event for each account, with
 * its guides.
 */
export function recordForeign(
  request: FastifyRequest,
  action: Extract<AuditAction, `${string}.read-other`>,
  guides: readonly GuideRecord[],
): void {
  for (const [account, own] of Map.groupBy(guides, (guide) => guide.account)) {
    if (account === apiUser(request).account) continue;
    const [guide = '', ...more] = new Set(own.map(({ number }) => number));
    const details = more.length > 0 ? { guides: [guide, ...more] } : { guide };
    record(request, { action, subject: account, details });
  }
}
