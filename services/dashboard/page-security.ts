import type { FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { DomainError } from '#shared/errors.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import type { PagePolicy } from '#shared/http/security-headers.ts';

/** Pages load from the dashboard alone, and no script or style inside a page itself takes effect. */
export const PAGE_POLICY: PagePolicy = {
  defaultSrc: ["'none'"],
  scriptSrc: ["'self'"],
  styleSrc: ["'self'"],
  imgSrc: ["'self'"],
  connectSrc: ["'self'"],
  formAction: ["'self'"],
};

/**
 * Tells browsers to keep no page, and refuses requests that pages of other origins make a browser send (CSRF) with the
 * error `other-origin`.
 *
 * The cookie's SameSite does not keep out other ports and subdomains of our own site. Browsers say where a request comes
 * from in `Sec-Fetch-Site`, and over plain http, where they leave that header out, in `Origin` (OWASP, "Cross-Site
 * Request Forgery Prevention"). A request with neither header is refused too.
 */
export const pageSecurity = fp(async (server: HttpServer) => {
  server.addHook('onRequest', async (request, reply) => {
    // With `no-referrer` browsers would send `Origin: null` with forms, which is no origin of ours.
    reply.headers({ 'cache-control': 'no-store', 'referrer-policy': 'same-origin' });
    const safe = request.method === 'GET' || request.method === 'HEAD';
    if (!safe && !isSameOrigin(request)) throw new DomainError('other-origin');
  });
});

function isSameOrigin({ headers, host }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site'];
  return site === undefined ? URL.parse(headers.origin ?? '')?.host === host : site === 'same-origin';
}
