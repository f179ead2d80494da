import { UnrecoverableError } from 'bullmq';
import { describe, expect, it } from 'vitest';
import { failureReasonOf, queueErrorOf } from '#services/label-worker/queue/label-failure.ts';
import { DomainError } from '#shared/errors.ts';

describe('a failed attempt', () => {
  it.each([
    ['browser-failed', true],
    ['label-unprintable', false],
    ['payload-invalid', false],
  ] as const)('because of %s is tried again: %s', (code, retried) => {
    const cause = new Error('why');
    const error = queueErrorOf(new DomainError(code, { cause })) as Error;
    expect(error instanceof UnrecoverableError).toBe(!retried);
    // What the queue keeps as the job's reason, which the dashboard explains.
    expect([error.message, error.cause, failureReasonOf(error)]).toEqual([code, cause, code]);
  });

  it.each([
    ['an error of a library', new Error('browser-failed')],
    ['a refusal of another kind', new DomainError('unavailable')],
    [
      'a job that was taken from its workers too often',
      new UnrecoverableError('job stalled more than allowable limit'),
    ],
  ])('because of %s is what it was, and counted as other', (_, error) => {
    expect(queueErrorOf(error)).toBe(error);
    expect(failureReasonOf(error)).toBe('other');
  });
});
