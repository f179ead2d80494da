import { UnrecoverableError } from 'bullmq';
import { type CodesOf, DomainError } from '#shared/errors/domain-error.ts';

/** The reasons why a label was not printed, and whether it is tried again, up to `PRINT_ATTEMPTS`. */
const RETRIED = {
  'browser-failed': true,
  'image-failed': true,
  /** The print would be refused again, so its client gets the error at once. */
  'label-unstored': false,
  'label-unprintable': false,
  'payload-invalid': false,
} as const;

declare module '#shared/errors/domain-error.ts' {
  interface ErrorCodes extends CodesOf<typeof RETRIED> {}
}

type LabelFailure = keyof typeof RETRIED;

/** `other` is any unforeseen reason, such as an outage of Redis. */
export const FAILURE_REASONS = [...(Object.keys(RETRIED) as LabelFailure[]), 'other'] as const;
export type FailureReason = (typeof FAILURE_REASONS)[number];

/** BullMQ keeps the message, which is the code, as the job's reason. */
class UnrecoverableLabelError extends UnrecoverableError {
  readonly code: LabelFailure;

  constructor(code: LabelFailure, cause: unknown) {
    super(code);
    this.code = code;
    this.cause = cause;
  }
}

/** Returns the error to throw to BullMQ, which repeats a job for any error but an `UnrecoverableError`. */
export function queueErrorOf(error: unknown): unknown {
  if (!(error instanceof DomainError) || !isLabelFailure(error.code)) return error;
  return RETRIED[error.code] ? error : new UnrecoverableLabelError(error.code, error.cause);
}

export function failureReasonOf(error: Error): FailureReason {
  const known = error instanceof DomainError || error instanceof UnrecoverableLabelError;
  return known && isLabelFailure(error.code) ? error.code : 'other';
}

function isLabelFailure(code: string): code is LabelFailure {
  return Object.hasOwn(RETRIED, code);
}
