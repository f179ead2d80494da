import { ResolveRequest, ResolveResponse } from '#shared/contracts/branch.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import { requireInternalToken } from '#shared/http/internal-token.ts';
import { sharedRequestIds } from '#shared/http/request-id.ts';
import type { BranchCache } from '../cache/branch-cache.ts';

/** Registers what our other services ask, each time with an internal token; clients ask the API. */
export function internalRoutes(cache: BranchCache, tokens: readonly string[]) {
  return async (server: HttpServer) => {
    server.addHook('onRequest', requireInternalToken(tokens));
    server.addHook('onRequest', async (request) => {
      const requestIds = sharedRequestIds(request.headers);
      if (requestIds.length > 0) request.log = request.log.child({ requestIds });
    });
    server.post(
      '/resolve',
      { schema: { body: ResolveRequest, response: { 200: ResolveResponse } } },
      ({ body }) => cache.resolve(body.origin, body.destinations),
    );
    server.get('/branches', async (_request, reply) =>
      reply.type('application/json').send(await cache.active()),
    );
  };
}
