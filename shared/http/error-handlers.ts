import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyBaseLogger, FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import findMyWay, { type HTTPMethod } from 'find-my-way';
import { DomainError, type ErrorCode } from '#shared/errors/domain-error.ts';
import { isTransientError } from '#shared/stores/transient-errors.ts';
import { commonHttpErrors, type HttpError, type HttpErrors, toHttpError } from './http-errors.ts';
import type { HttpServer } from './http-server.ts';
import { REQUEST_ID_HEADER } from './internal-calls.ts';

/**
 * Answers an error by its entry in the table (docs/contract.md "Envelopes"). Only the log has the message of an
 * unforeseen error.
 * @param own the service's errors, beside those that all services have.
 */
export function errorHandler(own: HttpErrors = {}) {
  const table: HttpErrors = { ...commonHttpErrors, ...own };
  return (error: FastifyError | Error, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const answer = toHttpError(table, toDomainError(error));
    const { status, message, codigo, details, detailsTotal, warnings, headers } = answer;
    for (const { notice } of request.server.dependencies.values()) notice?.(error);
    logError(request, error, answer);
    request.failure = codigo;
    return reply
      .code(status)
      .headers({ [REQUEST_ID_HEADER]: request.id, ...headers })
      .send({
        response: 'ERROR',
        message,
        codigo,
        ...(details.length > 0 && { details }),
        ...(detailsTotal !== undefined && { detailsTotal }),
        ...warnings,
        requestId: request.id,
      });
  };
}

export function logError(
  { log }: FastifyRequest,
  err: Error,
  { status, logLevel = status >= 500 ? 'error' : 'silent' }: Pick<HttpError, 'status' | 'logLevel'>,
): void {
  log[logLevel]({ err }, 'The request failed');
}

const FASTIFY_ERRORS: Readonly<Record<string, ErrorCode>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'body-too-large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'not-json',
  FST_ERR_CTP_INVALID_JSON_BODY: 'invalid-json',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'invalid-json',
};

/** Returns `unavailable` for an outage of a store, `internal` for an unforeseen error. */
export function toDomainError(error: FastifyError | Error): DomainError {
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

/** Errors of Node's parser, before there is a request. */
const PARSER_ERRORS: Readonly<Record<string, keyof typeof commonHttpErrors>> = {
  HPE_HEADER_OVERFLOW: 'headers-too-large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request-timeout',
};

/** Answers a request that is not HTTP, or is late, and ends the connection. */
export function clientErrorHandler(
  this: { log: FastifyBaseLogger },
  error: Error & { code?: string },
  socket: Socket,
): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  const { status, codigo, message } = commonHttpErrors[PARSER_ERRORS[error.code ?? ''] ?? 'bad-request'];
  const requestId = randomUUID();
  this.log.info({ requestId, status, code: error.code }, 'The request could not be read');
  const body = JSON.stringify({ response: 'ERROR', message, codigo, requestId });
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Content-Type: application/json; charset=utf-8',
    `X-Request-Id: ${requestId}`,
    'Connection: close',
  ];
  if (socket.writable) socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  else socket.destroy();
}

/**
 * Answers requests that Node would refuse without our body: two `Host` headers, HTTP/1.1 without one (RFC 9112, 3.2),
 * or an expectation other than `100-continue` (RFC 9110, 10.1.1).
 */
export function refuseUnusualHeads(server: HttpServer): void {
  server.server.on('checkExpectation', (request, response) =>
    server.server.emit('request', request, response),
  );
  server.addHook('onRequest', async ({ headers, raw }) => {
    const hosts = raw.rawHeaders.filter((name, i) => i % 2 === 0 && /^host$/i.test(name)).length;
    // Of two `Host` headers Node takes the first. A proxy before this process may have taken the other.
    if (hosts > 1 || (hosts === 0 && raw.httpVersion === '1.1')) throw new DomainError('bad-request');
    if (headers.expect !== undefined && !/^100-continue$/i.test(headers.expect)) {
      throw new DomainError('expectation-failed');
    }
  });
}

/**
 * Answers requests without a route: 405 with `Allow` if the path has other methods, else 404 (docs/contract.md
 * "Envelopes"). Fastify knows only 404, so a second router keeps the routes. The body is not parsed, because anybody
 * may send one without a token.
 */
export function addMethodNotAllowed(
  server: HttpServer,
  routerOptions: { ignoreTrailingSlash: boolean; ignoreDuplicateSlashes: boolean; maxParamLength: number },
): void {
  const router = findMyWay(routerOptions);
  const methods = new Set<string>();
  server.addHook('onRoute', ({ method, url }) => {
    if (url === '*') return; // the route of preflights, which stands for no path
    for (const name of [method].flat()) {
      methods.add(name);
      router.on(name as HTTPMethod, url, () => undefined);
    }
  });
  server.addHook('preParsing', async (request, reply) => {
    if (!request.is404) return;
    const path = request.url.split('?', 1)[0] ?? '';
    const allowed = [...methods].filter((name) => router.find(name as HTTPMethod, path));
    if (allowed.length === 0) throw new DomainError('no-route');
    reply.header('allow', allowed.join(', '));
    throw new DomainError('method-not-allowed');
  });
}
