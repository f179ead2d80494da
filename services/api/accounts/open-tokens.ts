import { randomUUID } from 'node:crypto';
import fastifyJwt, { type FastifyJWTOptions, type JWT } from '@fastify/jwt';
import type { ApiUser } from '#shared/accounts/user-store.ts';
import { DomainError } from '#shared/errors/domain-error.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import type { Base } from '../http/room.ts';

const ISSUER = 'shipping-guides';
/** The library checks only claims that are present, so the required ones are named. */
const CLAIMS = ['sub', 'iss', 'iat', 'exp'];
/**
 * HS256 and nothing else (RFC 8725, 3.1), with issuer. The library knows only the clock of this process, so `verifyToken`
 * itself looks at the expiry.
 */
const VERIFY = {
  algorithms: ['HS256' as const],
  allowedIss: ISSUER,
  requiredClaims: CLAIMS,
  ignoreExpiration: true,
};

/** Three parts in base64url. */
const FORM = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** `sub`: user name; `gen`: the user's token generation; `exp`: seconds since 1970. */
export type TokenClaims = { sub: string; exp: number; gen: number; jti: string };

declare module '@fastify/jwt' {
  interface FastifyJWT {
    payload: { sub: string; gen: number; jti: string; iat: number };
    /** What the plugin would set as `request.user`. Nothing sets it: routes authorise by `apiUser`, which has the claims. */
    user: never;
  }
}

/**
 * Signs and verifies access tokens, by the database's clock: the api that verifies a token may be another than the one that
 * signed it. Tokens of `JWT_SECRET_PREVIOUS` stay valid, so a change of the secret logs nobody out.
 */
export async function openTokens(server: HttpServer, { config, databaseClock }: Base) {
  const { JWT_SECRET: secret, JWT_SECRET_PREVIOUS: previousSecret, JWT_TTL_S: expiresIn } = config;
  const jwt = await openJwt(server, {
    secret,
    sign: { algorithm: 'HS256', iss: ISSUER, expiresIn },
    // Caches the hashes of a thousand valid tokens for ten minutes. Expiry and revocation are checked each time.
    verify: { ...VERIFY, cache: true },
  });
  const verifySigned = (token: string): Partial<TokenClaims> => {
    try {
      return jwt.verify(token);
    } catch (error) {
      if (!previousSecret || codeOf(error) !== 'FAST_JWT_INVALID_SIGNATURE') throw error;
      return jwt.verify(token, { ...VERIFY, key: previousSecret });
    }
  };
  const nowS = () => Math.floor(databaseClock.estimate() / 1_000);
  /** An expired token is told so whatever else it lacks. */
  const claimsOf = (token: string): TokenClaims => {
    const { sub, exp, gen, jti } = verifySigned(token);
    // The library checks no types of these.
    if (typeof sub !== 'string' || typeof exp !== 'number') throw new TypeError('sub or exp is missing');
    if (nowS() >= exp) throw new DomainError('token-expired');
    if (typeof gen !== 'number' || typeof jti !== 'string') throw new TypeError('gen or jti is missing');
    return { sub, exp, gen, jti };
  };
  return {
    /** Returns a new, unique access token. */
    signToken: ({ username, tokenGeneration }: Pick<ApiUser, 'username' | 'tokenGeneration'>) =>
      jwt.sign({ sub: username, gen: tokenGeneration, jti: randomUUID(), iat: nowS() }),
    /**
     * Returns the claims of an access token.
     *
     * @throws DomainError `token-expired` for a token that was valid, `access-denied` for anything else.
     */
    verifyToken(credential: string): TokenClaims {
      if (!FORM.test(credential)) throw new DomainError('access-denied');
      try {
        return claimsOf(credential);
      } catch (cause) {
        throw cause instanceof DomainError ? cause : new DomainError('access-denied', { cause });
      }
    },
  };
}

/** Registers the library in a scope of its own: no route sees what it decorates. */
async function openJwt(server: HttpServer, options: FastifyJWTOptions): Promise<JWT> {
  let jwt!: JWT;
  await server.register(async (scope) => {
    await scope.register(fastifyJwt, options);
    jwt = scope.jwt;
  });
  return jwt;
}

function codeOf(error: unknown): string | undefined {
  return (error as { code?: string }).code;
}
