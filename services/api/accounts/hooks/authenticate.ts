import type { FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import type { ApiUser } from '#shared/accounts/user-store.ts';
import { DomainError } from '#shared/errors/domain-error.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import type { Caller } from '../account-limits.ts';
import type { TokenClaims } from '../tokens-plugin.ts';

/**
 * Demands a valid token of an enabled user on every route of the scope.
 * @throws DomainError `access-denied` or `token-expired`, in the hook.
 */
export const authenticate = fp(async (server: HttpServer) => {
  const { users, limitsOf } = server;
  server.addHook('onRequest', async (request) => {
    // Node takes the first of several headers; a proxy may have checked another.
    const [authorization, another] = request.raw.headersDistinct.authorization ?? [];
    if (another !== undefined) throw new DomainError('access-denied');
    request.user = server.verifyBearer(authorization);
    const user = await users.findRecent(request.user.sub, request.user.gen);
    if (!user || user.disabled || isEnded(user, request.user)) throw new DomainError('access-denied');
    const caller: Caller = { ...user, limits: await limitsOf(user.account) };
    request.apiUser = caller;
  });
});

/** Also after a revocation of all tokens. */
function isEnded({ tokenGeneration, revokedTokens }: ApiUser, { gen, jti }: TokenClaims): boolean {
  return gen !== tokenGeneration || revokedTokens.some((revoked) => revoked.jti === jti);
}

/** Call it only on a route that `authenticate` guards. */
export function apiUser(request: FastifyRequest): Caller {
  return request.apiUser as Caller;
}
