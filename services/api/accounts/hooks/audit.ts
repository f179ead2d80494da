import type { FastifyRequest } from 'fastify';
import type { AuditEvent } from '#shared/audit/audit-store.ts';
import type { AuditAction } from '#shared/rooms.ts';
import type { Accounts } from '../open.ts';
import { apiUser } from './authenticate.ts';

export function audit(
  { auditLog }: Pick<Accounts, 'auditLog'>,
  request: FastifyRequest,
  event: Pick<AuditEvent, 'subject' | 'details'> & { action: AuditAction },
): void {
  const { username: actor, account } = apiUser(request);
  const { ip: address, id: requestId } = request;
  auditLog.record({ actor, account, address, requestId, outcome: 'ok', ...event });
}

/** Records reads of other accounts' guides and labels (`guias.read.all`): one audit event for each account. */
export function auditForeignReads(
  context: Pick<Accounts, 'auditLog'>,
  request: FastifyRequest,
  action: Extract<AuditAction, `${string}.read-other`>,
  guides: readonly { account: string; _id: string }[],
): void {
  for (const [account, own] of Map.groupBy(guides, (guide) => guide.account)) {
    if (account === apiUser(request).account) continue;
    const [guide = '', ...more] = new Set(own.map(({ _id }) => _id));
    const details = more.length > 0 ? { guides: [guide, ...more] } : { guide };
    audit(context, request, { action, subject: account, details });
  }
}
