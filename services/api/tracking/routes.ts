import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { RateLimiterRes } from 'rate-limiter-flexible';
import { addressGroup, countingLimiter } from '#shared/auth/login-limit.ts';
import { DomainError } from '#shared/errors/domain-error.ts';
import { logError, toDomainError } from '#shared/http/error-handlers.ts';
import { type HttpError, toHttpError } from '#shared/http/http-errors.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import { pagePolicy, policyHeader } from '#shared/http/security-headers.ts';
import type { ApiOptions } from '../config.ts';
import { httpErrors } from '../errors.ts';
import { isGuideNumber } from '../guides/guide-number.ts';
import { formPage, guidePage, problemPage, STYLE, trackingView } from './pages.ts';

/** The page has a form to its own origin. */
const POLICY = policyHeader(pagePolicy({ 'form-action': ["'self'"] }));
/** Lookups of an address in a minute (docs/contract.md "Tracking page"), against guessing numbers. */
const VISITS_PER_MINUTE = 30;
/** Looked up for an invalid number, so that the time is the same; no guide has it. */
const NO_GUIDE = '000000000000';

/**
 * `GET /rastreo` and `/rastreo/{guia}`: a parcel's way, for people without a token (docs/contract.md "Tracking
 * page"). Numbers are not secret, so the page names no person.
 */
export async function trackingRoutes(server: HttpServer, { config }: ApiOptions): Promise<void> {
  const { guides, eventLog, branches } = server;
  const { CARRIER_NAME: carrier, REDIS_PREFIX: prefix } = config;
  const visits = countingLimiter(server.redis, `${prefix}:tracking`, VISITS_PER_MINUTE, 60);
  const viewOf = trackingView(config.TIME_ZONE);

  server.get('/rastreo/rastreo.css', async (_request, reply) =>
    reply.header('cache-control', 'max-age=3600').type('text/css; charset=utf-8').send(STYLE),
  );
  await server.register(async (pages) => {
    pages.setErrorHandler((error: FastifyError, request, reply) => {
      const answer = toHttpError(httpErrors, toDomainError(error));
      logError(request, error, answer);
      return sendError(reply.headers(answer.headers), answer, carrier);
    });
    pages.get<{ Querystring: { guia?: string | string[] } }>('/rastreo', async ({ query }, reply) => {
      // People copy a number with blanks and dashes.
      const number = [query.guia].flat()[0]?.replaceAll(/[\s-]/g, '').slice(0, 40);
      if (number) return reply.redirect(`/rastreo/${encodeURIComponent(number)}`, 303);
      return send(reply, formPage({ carrier }));
    });
    pages.get<{ Params: { guia: string } }>('/rastreo/:guia', async ({ ip, params }, reply) => {
      await visits.consume(addressGroup(ip)).catch(refuse);
      const number = isGuideNumber(params.guia) ? params.guia : NO_GUIDE;
      // Always both, so that the time reveals nothing.
      const [guide, entries] = await Promise.all([guides.find(number), eventLog.ofGuides([number])]);
      if (!guide || guide.anonymised) throw new DomainError('guide-not-found');
      const codes = entries.flatMap(({ told }) => told.Sucursal ?? []);
      const cities = await branches.cities(codes).catch(() => new Map<string, string>());
      return send(reply, guidePage({ carrier, ...viewOf(guide, entries, cities) }));
    });
  });
}

/** Answers the address of a page that cannot be decoded, such as `/rastreo/%E0`, as an unknown guide. */
export function trackingProblems({ CARRIER_NAME: carrier }: ApiOptions['config']) {
  return ({ url }: FastifyRequest, reply: FastifyReply): FastifyReply | undefined =>
    /^\/+rastreo\//.test(url) ? sendError(reply, httpErrors['guide-not-found'], carrier) : undefined;
}

function sendError(
  reply: FastifyReply,
  { status, page = httpErrors.unavailable.page }: Pick<HttpError, 'status' | 'page'>,
  carrier: string,
): FastifyReply {
  return send(reply.code(status), problemPage({ carrier, ...page }));
}

/** Refuses visits over the limit; the limiter also rejects with errors of its own. */
function refuse(reason: unknown): never {
  if (!(reason instanceof RateLimiterRes)) throw reason;
  throw new DomainError('too-many-requests', {
    params: { seconds: Math.max(1, Math.ceil(reason.msBeforeNext / 1_000)) },
  });
}

function send(reply: FastifyReply, html: string): FastifyReply {
  return reply
    .headers({
      'content-security-policy': POLICY,
      'x-robots-tag': 'noindex',
      'cache-control': 'no-store',
    })
    .type('text/html; charset=utf-8')
    .send(html);
}
