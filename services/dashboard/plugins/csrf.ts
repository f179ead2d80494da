import type { FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { DomainError } from '#shared/errors.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import type { PagePolicy } from '#shared/http/security-headers.ts';

/** Our pages load from us alone, and nothing that stands in the page itself runs. */
export const PAGE_POLICY: PagePolicy = {
  defaultSrc: ["'none'"],
  scriptSrc: ["'self'"],
  styleSrc: ["'self'"],
  imgSrc: ["'self'"],
  connectSrc: ["'self'"],
  formAction: ["'self'"],
};

/** Lets browsers keep nothing, and refuses what pages of other origins make them send. */
export const protection = fp(async (server: HttpServer) => {
  server.addHook('onRequest', async (request, reply) => {
    // With `no-referrer` browsers send `Origin: null` with our own forms.
    reply.headers({ 'cache-control': 'no-store', 'referrer-policy': 'same-origin' });
    requireSameOrigin(request);
  });
});

/**
 * Against CSRF: the cookie's SameSite does not keep out other ports and subdomains of our own site. Browsers say
 * where a request comes from in `Sec-Fetch-Site`, and over plain http, where they leave that out, in `Origin`
 * (OWASP, "Cross-Site Request Forgery Prevention").
 *
 * @throws DomainError `other-origin`, also where neither is there.
 */
function requireSameOrigin({ method, headers, host }: FastifyRequest): void {
  if (method === 'GET' || method === 'HEAD') return;
  const site = headers['sec-fetch-site'];
  const same = site === undefined ? URL.parse(headers.origin ?? '')?.host === host : site === 'same-origin';
  if (!same) throw new DomainError('other-origin');
}
