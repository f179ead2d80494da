import findMyWay, { type HTTPMethod } from 'find-my-way';
import { DomainError } from '#shared/errors.ts';
import type { HttpServer } from '../http-server.ts';

/**
 * Answers what no route matches: 405 with `Allow` where the path is known under other methods, else 404
 * (docs/contract.md "Envelopes"). Fastify itself knows only 404, so the routes are kept a second time in
 * Fastify's own router, asked only for requests that have already failed. The body of such a request is not parsed: anybody
 * may send it, without a token.
 */
export function addMethodNotAllowed(
  server: HttpServer,
  slashes: { ignoreTrailingSlash: boolean; ignoreDuplicateSlashes: boolean },
): void {
  const router = findMyWay(slashes);
  const methods = new Set<string>();
  server.addHook('onRoute', ({ method, url }) => {
    if (url === '*') return; // for preflights: it says nothing of a path
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
