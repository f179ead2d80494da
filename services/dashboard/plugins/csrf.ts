import type { FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { DomainError } from '#shared/errors.ts';
import type { HttpServer } from '#shared/http/http-server.ts';

/**
 * Refuses requests that pages of other origins make a browser send (CSRF).
 *
 * The cookie's SameSite does not keep out other ports and subdomains of our own site. Browsers say where a request comes
 * from in `Sec-Fetch-Site`, and over plain http, where they leave that header out, in `Origin` (OWASP, "Cross-Site
 * Request Forgery Prevention"). A request with neither header is refused too, with the error `other-origin`.
 */
export const csrf = fp(async (server: HttpServer) => {
  server.addHook('onRequest', async (request) => {
    if (!isSafe(request) && !isSameOrigin(request)) throw new DomainError('other-origin');
  });
});

function isSafe({ method }: FastifyRequest): boolean {
  return method === 'GET' || method === 'HEAD';
}

function isSameOrigin({ headers, host }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site'];
  return site === undefined ? URL.parse(headers.origin ?? '')?.host === host : site === 'same-origin';
}
