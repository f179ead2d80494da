import type { LabelFailureReason } from '#api/labels/label-metrics.ts';
import type { ErrorCode } from '#shared/errors.ts';
import { toDomainError } from '#shared/http/errors/to-domain-error.ts';

const REASONS: Partial<Record<ErrorCode, LabelFailureReason>> = {
  'label-failed': 'failed',
  'label-late': 'late',
  overloaded: 'overloaded',
  'no-printer': 'no_worker',
  'too-many-pages': 'quota',
  unavailable: 'unavailable',
  internal: 'other',
};

/** Returns why a request for a label got none; undefined where the request itself is at fault, as with an unknown guide. */
export function labelFailureReason(error: Error): LabelFailureReason | undefined {
  return REASONS[toDomainError(error).code];
}
