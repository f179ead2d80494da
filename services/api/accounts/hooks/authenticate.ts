import type { FastifyRequest } from 'fastify';
import type { ApiUser } from '#shared/accounts/user-store.ts';
import { DomainError } from '#shared/errors/domain-error.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import type { Caller } from '../account-limits.ts';
import type { Accounts } from '../open.ts';
import type { TokenClaims } from '../open-tokens.ts';

/**
 * Demands a valid token, or another credential that a room knows, of an enabled user on every route of the scope.
 * @throws DomainError `access-denied`, `token-expired`, or a LoginRefusal, in the hook.
 */
export function authenticate(server: HttpServer, accounts: Accounts): void {
  const { bearerKinds, settingsOf } = accounts;
  server.addHook('onRequest', async (request) => {
    // Node takes the first of several headers; a proxy may have checked another.
    const [authorization, another] = request.raw.headersDistinct.authorization ?? [];
    if (another !== undefined) throw new DomainError('access-denied');
    const credential = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1] ?? '';
    const kind = bearerKinds.find((each) => each.accepts(credential));
    const { user, ...by } = kind
      ? await kind.identify(credential, { address: request.ip, requestId: request.id })
      : await bearerOfToken(accounts, credential);
    if (user.canaryOf !== undefined) request.ofCanary = true;
    if (user.disabled) throw new DomainError('access-denied');
    const caller: Caller = { ...user, settings: await settingsOf(user.account), ...by };
    request.apiUser = caller;
  });
}

async function bearerOfToken({ users, verifyToken }: Accounts, credential: string) {
  const token = verifyToken(credential);
  const user = await users.findRecent(token.sub, token.gen);
  if (!user || isEnded(user, token)) throw new DomainError('access-denied');
  const findNow = async () => {
    const now = await users.find(token.sub);
    return now && !isEnded(now, token) ? now : undefined;
  };
  return { user, token, expiresAt: new Date(token.exp * 1_000), findNow };
}

/** Also after a revocation of all tokens. */
function isEnded({ tokenGeneration, revokedTokens }: ApiUser, { gen, jti }: TokenClaims): boolean {
  return gen !== tokenGeneration || revokedTokens.some((revoked) => revoked.jti === jti);
}

/** Returns the user that `authenticate` has let in, by whom a route authorises. Only `openRoutes` of a room have none. */
export function apiUser(request: FastifyRequest): Caller {
  return request.apiUser as Caller;
}
