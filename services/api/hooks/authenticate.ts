import type { FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import type { ApiUser } from '#shared/auth/user-store.ts';
import { DomainError } from '#shared/errors/domain-error.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import type { Caller } from '../accounts/account-limits.ts';
import type { TokenClaims } from '../plugins/tokens.ts';

/**
 * Makes every route of the scope that registers it demand a valid token of an enabled user. The scope decides, not the
 * URL's text.
 *
 * Its hook throws DomainError `access-denied` or `token-expired`.
 */
export const authenticate = fp(async (server: HttpServer) => {
  const { users, limitsOf } = server;
  server.addHook('onRequest', async (request) => {
    // Node takes the first of several headers; a proxy before this process may have checked another.
    const [authorization, another] = request.raw.headersDistinct.authorization ?? [];
    if (another !== undefined) throw new DomainError('access-denied');
    request.user = server.verifyBearer(authorization);
    const user = await users.findRecent(request.user.sub, request.user.gen);
    if (!user || user.disabled || isEnded(user, request.user)) throw new DomainError('access-denied');
    const caller: Caller = { ...user, limits: await limitsOf(user.account) };
    request.apiUser = caller;
  });
});

/** Tells whether the token was logged out, or all tokens of its time were ended. */
function isEnded({ tokenGeneration, revokedTokens }: ApiUser, { gen, jti }: TokenClaims): boolean {
  return gen !== tokenGeneration || revokedTokens.some((revoked) => revoked.jti === jti);
}

/** Returns the user of a request, on a route that `authenticate` guards. */
export function apiUser(request: FastifyRequest): Caller {
  return request.apiUser as Caller;
}

/** Calls back once the client is gone, also before now, or has its answer. */
export function whenOver({ raw }: FastifyReply, call: () => void): void {
  if (raw.destroyed) call();
  else raw.once('close', call);
}

/** Returns a signal that aborts when the client is gone, also before now, or has its answer. */
export function whenGone(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  // With a reason of its own, as each request ends so: an error with its stack costs as much as the check of a guide.
  whenOver(reply, () => gone.abort('client-gone'));
  return gone.signal;
}
