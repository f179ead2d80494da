import { isUtf8 } from 'node:buffer';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  LogController,
  type RawReplyDefaultExpression,
  type RawRequestDefaultExpression,
  type RawServerDefault,
} from 'fastify';
import { answerClientError } from './client-error.ts';
import { answerError } from './error-answer.ts';
import { DomainError, type HttpErrors } from './errors.ts';
import { addHealth } from './health.ts';
import type { Logger } from './logger.ts';
import { answerOtherMethods } from './other-methods.ts';
import { REQUEST_ID_HEADER, requestId } from './request-id.ts';

export type HttpServer = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

/** Largest request body, in bytes (contract, "Envelopes"). */
const BODY_LIMIT = 4 * 1024 * 1024;
/** Largest request head, in bytes; a token of ours and its headers take one. */
const HEADER_LIMIT = 8 * 1024;

/** The body of every successful JSON answer (contract, "Envelopes"). */
export function ok<T>(message: string, data: T): { response: 'OK'; message: string; data: T } {
  return { response: 'OK', message, data };
}

/**
 * An HTTP server as all our services have it: the envelope of errors, request ids, one log line a request,
 * bounds, and health.
 *
 * @param options.errors the service's own refusals, by the code of the `DomainError`.
 * @param options.ready what must answer for the service to be ready, by name; each rejects when it does not.
 */
export function buildHttpServer(options: {
  log: Logger;
  errors?: HttpErrors;
  ready: Record<string, () => Promise<unknown>>;
  /** Proxies whose `X-Forwarded-For` is believed, as Fastify takes them; none by default. */
  trustProxy?: string[];
}): HttpServer {
  const fail = answerError(options.errors);
  const server: HttpServer = fastify({
    loggerInstance: options.log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    genReqId: requestId,
    trustProxy: options.trustProxy?.length ? options.trustProxy : false,
    bodyLimit: BODY_LIMIT,
    http: { maxHeaderSize: HEADER_LIMIT },
    clientErrorHandler: answerClientError,
    frameworkErrors: fail,
    // Not the router's business: an overlong guide number is an unknown one.
    routerOptions: { maxParamLength: HEADER_LIMIT },
    requestTimeout: 30_000,
    forceCloseConnections: 'idle',
    ajv: { customOptions: { removeAdditional: false, coerceTypes: false, allErrors: true } },
  }).withTypeProvider<TypeBoxTypeProvider>();
  takeOnlyJson(server);
  server.setErrorHandler(fail);
  answerOtherMethods(server, fail);

  server.addHook('onRequest', async (request, reply) => {
    reply.header(REQUEST_ID_HEADER, request.id);
  });
  server.addHook('onResponse', async (request, reply) => {
    request.log[request.routeOptions.config.quiet ? 'debug' : 'info'](
      {
        method: request.method,
        route: request.routeOptions.url,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
        user: request.apiUser?.username,
      },
      'request',
    );
  });
  addHealth(server, options.ready);
  return server;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Asked for every few seconds by machines: logged at level debug only. */
    quiet?: boolean;
  }
  interface FastifyRequest {
    /** Who asks; set where the API authenticates. */
    apiUser?: { readonly username: string };
  }
}

/**
 * Every body of ours is JSON in UTF-8 (RFC 8259, 8.1). Fastify would also take plain text, and put a
 * replacement character where a byte is wrong: a name would be printed that nobody sent.
 */
function takeOnlyJson(server: HttpServer): void {
  const parse = server.getDefaultJsonParser('error', 'error');
  server.removeContentTypeParser(['text/plain', 'application/json']);
  server.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    if (!isUtf8(body)) done(new DomainError('invalid-json'));
    else parse(request, body.toString('utf8'), done);
  });
}
