import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import fastify, {
  type FastifyBaseLogger,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import type { Logger } from '#shared/observability/logger.ts';
import { createMetrics } from '#shared/observability/metrics.ts';
import {
  addMethodNotAllowed,
  clientErrorHandler,
  errorHandler,
  refuseUnusualHeads,
} from './error-handlers.ts';
import { dropForwardedPorts, trustedProxies, watchForwardedAddresses } from './forwarded-addresses.ts';
import { BODY_LIMIT_MIB, HEADER_LIMIT_KIB, type HttpErrors } from './http-errors.ts';
import type { HttpServer } from './http-server.ts';
import { REQUEST_ID_HEADER, requestId } from './internal-calls.ts';
import { addLifecycle } from './lifecycle.ts';
import { addMetricsRoute } from './metrics-route.ts';
import { acceptOnlyJson, readOnBeforeClosing } from './request-bodies.ts';
import { type PagePolicy, securityHeaders } from './security-headers.ts';

const BODY_LIMIT = BODY_LIMIT_MIB * 1024 * 1024;
const HEADER_LIMIT = HEADER_LIMIT_KIB * 1024;
/** Longest time that a request's head may take to arrive. Slower ones are attacks. */
const HEADERS_TIMEOUT_MS = 10_000;
/** Longest time that a whole request may take to arrive. */
const REQUEST_TIMEOUT_MS = 30_000;

type Options = {
  log: Logger;
  /** The service's own errors, by the code of the `DomainError`. */
  errors?: HttpErrors;
  /** `TRUST_PROXY`, if the service counts by the client's address. */
  trustProxy?: string;
  drainMs?: number;
  /** Doubled and trailing slashes of a path do not matter (docs/contract.md "Envelopes"). */
  anySlashes?: boolean;
  /** Answers an address that cannot be decoded, if the usual error does not fit. */
  onBadUrl?: (request: FastifyRequest, reply: FastifyReply) => FastifyReply | undefined;
  /** Without it, the service has no pages and nothing may be loaded. */
  pagePolicy?: PagePolicy;
};

/**
 * Builds an HTTP server with what all services share: the envelope of errors, request ids, a log line for each
 * request, limits, health and metrics.
 * @param assemble opens the service's stores and adds its routes. When it throws, the `onClose` hooks close
 * everything opened so far, the last first.
 * @returns the server, not yet listening; `startup` waits for the stores.
 */
export async function buildHttpServer(
  options: Options,
  assemble: (server: HttpServer) => Promise<void>,
): Promise<HttpServer> {
  const server = createServer(options);
  dropForwardedPorts(server);
  addLifecycle(server, options.drainMs ?? 0);
  addRequestLog(server);
  readOnBeforeClosing(server);
  addMetricsRoute(server);
  if (options.trustProxy !== undefined) watchForwardedAddresses(server);
  try {
    await assemble(server);
    server.startup.begin();
  } catch (error) {
    await server.close();
    throw error;
  }
  return server;
}

function createServer({
  log,
  errors,
  trustProxy,
  pagePolicy,
  onBadUrl,
  anySlashes = false,
}: Options): HttpServer {
  const fail = errorHandler(errors);
  const addHeaders = securityHeaders(pagePolicy);
  const routerOptions = {
    ignoreTrailingSlash: anySlashes,
    ignoreDuplicateSlashes: anySlashes,
    // The route, not the router, answers an overlong guide number, which is an unknown guide.
    maxParamLength: HEADER_LIMIT,
  };
  const server: HttpServer = fastify({
    loggerInstance: log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    genReqId: requestId,
    trustProxy: trustedProxies(trustProxy),
    bodyLimit: BODY_LIMIT,
    http: {
      maxHeaderSize: HEADER_LIMIT,
      // Node's own answer has no envelope.
      requireHostHeader: false,
      headersTimeout: HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: 5_000,
    },
    clientErrorHandler,
    // No hook runs for an address that cannot be decoded.
    frameworkErrors: (error, request, reply) => {
      addHeaders(request.raw, reply.raw);
      return onBadUrl?.(request, reply) ?? fail(error, request, reply);
    },
    routerOptions,
    requestTimeout: REQUEST_TIMEOUT_MS,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    ajv: {
      customOptions: {
        removeAdditional: false,
        coerceTypes: false,
        allErrors: true,
        keywords: ['x-regla'],
        validateSchema: false,
      },
    },
  }).withTypeProvider<TypeBoxTypeProvider>();
  server.decorate('metrics', createMetrics());
  acceptOnlyJson(server);
  server.addHook('onRequest', async (request, reply) => addHeaders(request.raw, reply.raw));
  server.setErrorHandler(fail);
  addMethodNotAllowed(server, routerOptions);
  refuseUnusualHeads(server);
  return server;
}

function addRequestLog(server: HttpServer): void {
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
}
