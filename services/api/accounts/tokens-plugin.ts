import { randomUUID } from 'node:crypto';
import { createSigner, createVerifier } from 'fast-jwt';
import fp from 'fastify-plugin';
import type { ApiUser } from '#shared/accounts/user-store.ts';
import { DomainError } from '#shared/errors/domain-error.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import type { ApiOptions } from '../config.ts';

const ISSUER = 'shipping-guides';
/** The library checks only claims that are present, so the required ones are named. */
const CLAIMS = ['sub', 'iss', 'iat', 'exp'];

/** `sub`: user name; `gen`: the user's token generation; `exp`: seconds since 1970. */
export type TokenClaims = { sub: string; exp: number; gen: number; jti: string };

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * Returns the claims of a request's bearer token.
     *
     * @throws DomainError `token-expired` for a token that was valid, `access-denied` for anything else.
     */
    verifyBearer(authorization: string | undefined): TokenClaims;
    /** Returns a new, unique access token. */
    signToken(user: Pick<ApiUser, 'username' | 'tokenGeneration'>): string;
  }
}

/**
 * Signs and verifies access tokens. Tokens of `JWT_SECRET_PREVIOUS` stay valid, so a change of the secret logs nobody
 * out.
 */
export const tokensPlugin = fp(async (server: HttpServer, { config }: ApiOptions) => {
  const { JWT_SECRET: secret, JWT_SECRET_PREVIOUS: previousSecret, JWT_TTL_S } = config;
  const sign = createSigner({ key: secret, algorithm: 'HS256', iss: ISSUER, expiresIn: 1_000 * JWT_TTL_S });
  const verify = verifierOf(secret);
  const verifyPrevious = previousSecret ? verifierOf(previousSecret) : undefined;
  const verifySigned = (token: string): TokenClaims => {
    try {
      return verify(token);
    } catch (error) {
      if (!verifyPrevious || codeOf(error) !== 'FAST_JWT_INVALID_SIGNATURE') throw error;
      return verifyPrevious(token);
    }
  };
  server.decorate('signToken', ({ username, tokenGeneration }) =>
    sign({ sub: username, gen: tokenGeneration, jti: randomUUID() }),
  );
  server.decorate('verifyBearer', (authorization: string | undefined) => {
    const token = /^Bearer +([\w-]+\.[\w-]+\.[\w-]+)$/i.exec(authorization ?? '')?.[1];
    if (!token) throw new DomainError('access-denied');
    try {
      const { sub, exp, gen, jti } = verifySigned(token);
      // The library checks only the types of times.
      if (typeof sub !== 'string') throw new TypeError('sub is no string');
      if (typeof gen !== 'number' || typeof jti !== 'string') throw new TypeError('gen or jti is missing');
      return { sub, exp, gen, jti };
    } catch (cause) {
      throw new DomainError(codeOf(cause) === 'FAST_JWT_EXPIRED' ? 'token-expired' : 'access-denied', {
        cause,
      });
    }
  });
});

/**
 * Returns a function that verifies HS256 and nothing else (RFC 8725, 3.1), with issuer and expiry. It caches the hashes of a
 * thousand valid tokens for ten minutes, at most until they expire: `authenticate` checks revocation each time.
 */
function verifierOf(key: string): (token: string) => TokenClaims {
  return createVerifier({
    key,
    algorithms: ['HS256'],
    allowedIss: ISSUER,
    requiredClaims: CLAIMS,
    cache: true,
  });
}

function codeOf(error: unknown): string | undefined {
  return (error as { code?: string }).code;
}
