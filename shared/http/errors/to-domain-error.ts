import type { FastifyError } from 'fastify';
import { DomainError, type ErrorCode } from '#shared/errors.ts';
import { isTransientError } from '#shared/stores/transient-errors.ts';
import { refuseFor } from './http-errors.ts';

/** Fastify's own refusals, in our codes. */
const FASTIFY_ERRORS: Readonly<Record<string, ErrorCode>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'body-too-large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'not-json',
  FST_ERR_CTP_INVALID_JSON_BODY: 'invalid-json',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'invalid-json',
};

/** Returns the refusal that an error is answered with: `unavailable` for an outage, `internal` for what nobody foresaw. */
export function toDomainError(error: FastifyError | Error): DomainError {
  if (error instanceof DomainError) return error;
  if (isTransientError(error)) return new DomainError('unavailable', { cause: error });
  const { validation, validationContext, code = '', statusCode = 500 } = error as Partial<FastifyError>;
  if (validation && validationContext === 'querystring') {
    return refuseFor(
      'parameter-invalid',
      validation.map(({ instancePath }) => instancePath.slice(1)),
    );
  }
  if (validation) {
    const problems = validation.map(({ instancePath, params }) => ({
      campo: `${instancePath}/${params.missingProperty ?? ''}`.split('/').filter(Boolean).join('.'),
      code: 'field-invalid' as const,
    }));
    return new DomainError('bad-request', { problems, cause: error });
  }
  const refused = statusCode >= 400 && statusCode < 500;
  return new DomainError(FASTIFY_ERRORS[code] ?? (refused ? 'bad-request' : 'internal'), { cause: error });
}
