import type { FastifyRequest } from 'fastify';
import type { LabelClient } from '#api/labels/label-client.ts';
import type { LabelFailureReason } from '#api/labels/label-metrics.ts';
import type { Caller } from '#api/quotas/account-limits.ts';
import type { ErrorCode } from '#shared/errors.ts';
import { toDomainError } from '#shared/http/error-handlers.ts';

const REASONS: Partial<Record<ErrorCode, LabelFailureReason>> = {
  'label-failed': 'failed',
  'label-late': 'late',
  overloaded: 'overloaded',
  'no-printer': 'no_worker',
  'too-many-pages': 'quota',
  unavailable: 'unavailable',
  internal: 'other',
};

/**
 * Counts a request for labels that got none, by the reason; not where the request itself is at fault, as with an unknown
 * guide.
 */
export function countLabelFailure(labels: LabelClient, request: FastifyRequest, error: Error): void {
  const reason = REASONS[toDomainError(error).code];
  if (reason) labels.countFailure(reason, (request.apiUser as Caller | undefined)?.account);
}
