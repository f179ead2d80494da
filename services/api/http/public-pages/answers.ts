import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { DomainError } from '#shared/errors/domain-error.ts';
import { logError, toDomainError } from '#shared/http/error-handlers.ts';
import { commonHttpErrors, type HttpError, toHttpError } from '#shared/http/http-errors.ts';
import { pagePolicy, policyHeader } from '#shared/http/security-headers.ts';
import { addressGroup, countingLimiter, secondsUntilTaken } from '#shared/stores/counting-limiter.ts';
import type { RedisClient } from '#shared/stores/redis-client.ts';
import type { ErrorTable } from '../errors.ts';

/** The pages have a form to their own origin. */
const POLICY = policyHeader(pagePolicy({ 'form-action': ["'self'"] }));
/** What an address may ask for in a minute, of each kind of page (docs/contract.md "Tracking page", "Quote page"). */
const VISITS_PER_MINUTE = 30;

/** What a page says in place of an answer. */
export type PageProblem = NonNullable<HttpError['page']>;

/** Sends a page. @param indexed whether search engines may list it, as the page itself says. */
export function sendPage(reply: FastifyReply, html: string, indexed = false): FastifyReply {
  return reply
    .headers({
      'content-security-policy': POLICY,
      ...(!indexed && { 'x-robots-tag': 'noindex' }),
      'cache-control': 'no-store',
    })
    .type('text/html; charset=utf-8')
    .send(html);
}

export function sendStyle(reply: FastifyReply, style: string): FastifyReply {
  return reply.header('cache-control', 'max-age=3600').type('text/css; charset=utf-8').send(style);
}

/** Returns a handler that answers errors with a page; an error without words of its own as `unavailable`. */
export function pageErrorHandler(
  errors: ErrorTable,
  pageOf: (problem: PageProblem, request: FastifyRequest) => string,
) {
  return (error: FastifyError, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const answer = toHttpError(errors, toDomainError(error));
    logError(request, error, answer);
    const { page = commonHttpErrors.unavailable.page } = answer as HttpError;
    return sendPage(reply.code(answer.status).headers(answer.headers), pageOf(page, request));
  };
}

/**
 * Returns a function that counts a visit of an address (an IPv6 address by its /64), over all processes.
 *
 * @param keyPrefix of the keys in Redis.
 * @throws DomainError `too-many-requests`, from that function, over the limit.
 */
export function visitLimit(redis: RedisClient, keyPrefix: string): (ip: string) => Promise<void> {
  const visits = countingLimiter(redis, keyPrefix, VISITS_PER_MINUTE, 60);
  return async (ip) => {
    await visits.consume(addressGroup(ip)).catch(refuse);
  };
}

function refuse(reason: unknown): never {
  throw new DomainError('too-many-requests', { params: { seconds: secondsUntilTaken(reason) } });
}
