import { randomUUID } from 'node:crypto';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import fastify, {
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
  type RawReplyDefaultExpression,
  type RawRequestDefaultExpression,
  type RawServerDefault,
} from 'fastify';
import { commonHttpErrors, DomainError, type HttpError, type HttpErrors, type Problem } from './errors.ts';
import type { Logger } from './logger.ts';
import { answerOtherMethods } from './other-methods.ts';
import { isOutage } from './outage.ts';

export type HttpServer = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

export const REQUEST_ID_HEADER = 'x-request-id';
/** Largest request body, in bytes (contract, "Envelopes"). */
const BODY_LIMIT = 4 * 1024 * 1024;
/** Most entries of `details` (contract, "Envelopes"). */
const MAX_DETAILS = 50;
/** A health check that takes longer has failed, in ms. */
const READY_DEADLINE = 1_000;

/** Fastify's own refusals, in our words. */
const FASTIFY_ERRORS: Readonly<Record<string, keyof typeof commonHttpErrors>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'body-too-large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'not-json',
  FST_ERR_CTP_INVALID_JSON_BODY: 'invalid-json',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'invalid-json',
};

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
  const errors: HttpErrors = { ...commonHttpErrors, ...options.errors };
  const server: HttpServer = fastify({
    loggerInstance: options.log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    genReqId: requestId,
    trustProxy: options.trustProxy?.length ? options.trustProxy : false,
    bodyLimit: BODY_LIMIT,
    requestTimeout: 30_000,
    forceCloseConnections: 'idle',
    ajv: { customOptions: { removeAdditional: false, coerceTypes: false, allErrors: true } },
  }).withTypeProvider<TypeBoxTypeProvider>();
  // Fastify takes plain text by default; every body of ours is JSON.
  server.removeContentTypeParser('text/plain');

  const fail = (error: FastifyError | Error, request: FastifyRequest, reply: FastifyReply) => {
    const refusal = toDomainError(error);
    const { status, message, headers }: HttpError = errors[refusal.code] ?? commonHttpErrors.internal;
    if (status >= 500) request.log.error({ err: error }, 'request failed');
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

/** The caller's own id where it is harmless in logs and headers, else a new one (contract, "Envelopes"). */
function requestId(request: { headers: Record<string, string | string[] | undefined> }): string {
  const own = request.headers[REQUEST_ID_HEADER];
  return typeof own === 'string' && /^[A-Za-z0-9._-]{1,64}$/.test(own) ? own : randomUUID();
}

function toDomainError(error: FastifyError | Error): DomainError {
  if (error instanceof DomainError) return error;
  if (isOutage(error)) return new DomainError('unavailable', { cause: error });
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

/** `/health/live`: the process serves. `/health/ready`: so does all that it needs, in time. */
function addHealth(server: HttpServer, ready: Record<string, () => Promise<unknown>>): void {
  const config = { quiet: true };
  server.get('/health/live', { config }, async () => ({ status: 'ok' }));
  server.get('/health/ready', { config }, async (request, reply) => {
    const checks = await Promise.all(
      Object.entries(ready).map(async ([name, check]) => {
        const late = AbortSignal.timeout(READY_DEADLINE);
        const timeout = new Promise((_, reject) => {
          late.addEventListener('abort', () => reject(late.reason), { once: true });
        });
        return Promise.race([check(), timeout]).then(
          () => [name, 'ok'] as const,
          (error: Error) => {
            request.log.warn({ err: error, check: name }, 'not ready');
            return [name, 'down'] as const;
          },
        );
      }),
    );
    const up = checks.every(([, state]) => state === 'ok');
    return reply.code(up ? 200 : 503).send({ status: up ? 'ok' : 'down', ...Object.fromEntries(checks) });
  });
}
