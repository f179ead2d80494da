import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import {
  commonHttpErrors,
  DomainError,
  type HttpError,
  type HttpErrors,
  type Problem,
} from '#shared/errors.ts';
import { isTransientError } from '#shared/stores/transient-errors.ts';
import { REQUEST_ID_HEADER } from './request-id.ts';

/** Most entries of `details` (docs/contract.md "Envelopes"). */
const MAX_DETAILS = 50;
/** Fastify's own refusals, in our words. */
const FASTIFY_ERRORS: Readonly<Record<string, keyof typeof commonHttpErrors>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'body-too-large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'not-json',
  FST_ERR_CTP_INVALID_JSON_BODY: 'invalid-json',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'invalid-json',
};

/**
 * The answer to an error: the envelope of all errors, with what the table says of the error's code
 * (docs/contract.md "Envelopes"). What nobody foresaw is a 500 without a word of ours or a library's; the log
 * has it.
 *
 * @param own the service's refusals, beside those that all services have.
 */
export function errorHandler(own: HttpErrors = {}) {
  const table: HttpErrors = { ...commonHttpErrors, ...own };
  return (error: FastifyError | Error, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const refusal = toDomainError(error);
    const { status, message, headers, noFault }: HttpError = table[refusal.code] ?? commonHttpErrors.internal;
    if (status >= 500 && !noFault) request.log.error({ err: error }, 'request failed');
    return reply
      .code(status)
      .headers({
        [REQUEST_ID_HEADER]: request.id,
        ...(typeof headers === 'function' ? headers(refusal.params) : headers),
      })
      .send({
        response: 'ERROR',
        message: typeof message === 'string' ? message : message(refusal.params),
        ...(refusal.details && { details: refusal.details.slice(0, MAX_DETAILS) }),
        requestId: request.id,
      });
  };
}

function toDomainError(error: FastifyError | Error): DomainError {
  if (error instanceof DomainError) return error;
  if (isTransientError(error)) return new DomainError('unavailable', { cause: error });
  const { validation, code, statusCode } = error as Partial<FastifyError>;
  if (validation) {
    const details = validation.map(
      ({ instancePath, message }): Problem => ({
        campo: instancePath.slice(1).replaceAll('/', '.'),
        message: message ?? 'valor invalido',
      }),
    );
    return new DomainError('bad-request', { details, cause: error });
  }
  const known = FASTIFY_ERRORS[code ?? ''];
  if (known) return new DomainError(known, { cause: error });
  // A SyntaxError with a status is Fastify's JSON parser refusing `__proto__` and the like.
  if (error instanceof SyntaxError && statusCode === 400)
    return new DomainError('invalid-json', { cause: error });
  const clients = statusCode !== undefined && statusCode >= 400 && statusCode < 500;
  return new DomainError(clients ? 'bad-request' : 'internal', { cause: error });
}
