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
import type { Registry } from 'prom-client';
import { DomainError, type HttpErrors } from '#shared/errors.ts';
import type { Logger } from '#shared/observability/logger.ts';
import { addMetrics } from '#shared/observability/metrics.ts';
import { clientErrorHandler } from './client-error-handler.ts';
import { errorHandler } from './error-handler.ts';
import { addGracefulShutdown } from './graceful-shutdown.ts';
import { addHealth, type Checks } from './health.ts';
import { addMethodNotAllowed } from './method-not-allowed.ts';
import { REQUEST_ID_HEADER, requestId } from './request-id.ts';
import { addSecurityHeaders, type PagePolicy } from './security-headers.ts';

export type HttpServer = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

/** Largest request body, in bytes (docs/contract.md "Envelopes"). */
const BODY_LIMIT = 4 * 1024 * 1024;
/** Largest request head, in bytes; a token of ours and its headers take one. */
const HEADER_LIMIT = 8 * 1024;
/** Longest time that a head may take to arrive, in ms: one that trickles in is no client of ours. */
const HEADERS_TIMEOUT = 10_000;

/** The body of every successful JSON answer (docs/contract.md "Envelopes"). */
export function ok<T>(message: string, data: T): { response: 'OK'; message: string; data: T } {
  return { response: 'OK', message, data };
}

/**
 * An HTTP server as all our services have it: the envelope of errors, request ids, one log line a request,
 * bounds, health and metrics.
 *
 * @param options.errors the service's own refusals, by the code of the `DomainError`.
 * @param options.ready what must answer for the service to be ready.
 * @param options.softDependencies what it asks without needing it to be ready; whether it answers is a metric.
 */
export function buildHttpServer(options: {
  log: Logger;
  metrics: Registry;
  errors?: HttpErrors;
  ready: Checks;
  softDependencies?: Checks;
  /** Proxies whose `X-Forwarded-For` is believed, as Fastify takes them; none by default. */
  trustProxy?: string[];
  /** How long it serves on before it closes, in ms; see `addGracefulShutdown`. */
  drainMs?: number;
  /** What pages of the service may load; without it there are no pages, and nothing may. */
  pagePolicy?: PagePolicy;
}): HttpServer {
  const fail = errorHandler(options.errors);
  const server: HttpServer = fastify({
    loggerInstance: options.log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    genReqId: requestId,
    trustProxy: options.trustProxy?.length ? options.trustProxy : false,
    bodyLimit: BODY_LIMIT,
    http: {
      maxHeaderSize: HEADER_LIMIT,
      headersTimeout: HEADERS_TIMEOUT,
      // How often Node looks for those that are late.
      connectionsCheckingInterval: 5_000,
    },
    clientErrorHandler: clientErrorHandler,
    frameworkErrors: fail,
    // Not the router's business: an overlong guide number is an unknown one.
    routerOptions: { maxParamLength: HEADER_LIMIT },
    requestTimeout: 30_000,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    ajv: { customOptions: { removeAdditional: false, coerceTypes: false, allErrors: true } },
  }).withTypeProvider<TypeBoxTypeProvider>();
  takeOnlyJson(server);
  addSecurityHeaders(server, options.pagePolicy);
  server.setErrorHandler(fail);
  addMethodNotAllowed(server, fail);

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
  const closing = addGracefulShutdown(server, options.drainMs ?? 0);
  addHealth(server, options.ready, closing);
  addMetrics(server, options.metrics, { ...options.ready, ...options.softDependencies });
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
