import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { REQUEST_ID_HEADER } from '../request-id.ts';
import { commonHttpErrors, type HttpErrors, toHttpError } from './http-errors.ts';
import { toDomainError } from './to-domain-error.ts';

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
