import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { DomainError, type ErrorCode } from '#shared/errors.ts';
import { isTransientError } from '#shared/stores/transient-errors.ts';
import { REQUEST_ID_HEADER } from '../request-id.ts';
import { commonHttpErrors, type HttpErrors, toHttpError } from './http-errors.ts';

/** Fastify's own refusals, in our codes. */
const FASTIFY_ERRORS: Readonly<Record<string, ErrorCode>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'body-too-large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'not-json',
  FST_ERR_CTP_INVALID_JSON_BODY: 'invalid-json',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'invalid-json',
};

/**
 * Answers an error with the envelope of all errors and what the table says of its code (docs/contract.md "Envelopes").
 * What nobody foresaw is a 500 without a word of ours or a library's; the log has it.
 *
 * @param own the service's refusals, beside those that all services have.
 */
export function errorHandler(own: HttpErrors = {}) {
  const table: HttpErrors = { ...commonHttpErrors, ...own };
  return (error: FastifyError | Error, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const refusal = toHttpError(table, toDomainError(error));
    const { status, message, codigo, details, detailsTotal, headers, expectedUnderLoad } = refusal;
    if (status >= 500 && !expectedUnderLoad) request.log.error({ err: error }, 'The request failed');
    return reply
      .code(status)
      .headers({ [REQUEST_ID_HEADER]: request.id, ...headers })
      .send({
        response: 'ERROR',
        message,
        codigo,
        ...(details.length > 0 && { details }),
        ...(detailsTotal !== undefined && { detailsTotal }),
        requestId: request.id,
      });
  };
}

function toDomainError(error: FastifyError | Error): DomainError {
  if (error instanceof DomainError) return error;
  if (isTransientError(error)) return new DomainError('unavailable', { cause: error });
  const { validation, code = '', statusCode = 500 } = error as Partial<FastifyError>;
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
