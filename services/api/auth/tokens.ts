import fastifyJwt from '@fastify/jwt';
import fp from 'fastify-plugin';
import { DomainError } from '../../../shared/errors.ts';
import type { HttpServer } from '../../../shared/http-server.ts';

const ISSUER = 'shipping-guides';

declare module '@fastify/jwt' {
  interface FastifyJWT {
    payload: { sub: string };
    user: { sub: string; iat: number; exp: number; iss: string };
  }
}

/** Signing and checking of access tokens: HS256 and nothing else, with issuer and expiry. */
export function tokens(options: { secret: string; ttlS: number }) {
  return fp(
    async (server: HttpServer) => {
      await server.register(fastifyJwt, {
        secret: options.secret,
        sign: { algorithm: 'HS256', iss: ISSUER, expiresIn: options.ttlS * 1_000 },
        verify: { algorithms: ['HS256'], allowedIss: ISSUER, requiredClaims: ['sub', 'iat', 'exp'] },
      });
    },
    { name: 'tokens' },
  );
}

/**
 * The user name in a request's bearer token.
 *
 * @throws DomainError `token-expired` for a token that was once good, `access-denied` for anything else.
 */
export function tokenSubject(server: HttpServer, authorization: string | undefined): string {
  const token = /^Bearer +([\w-]+\.[\w-]+\.[\w-]+)$/i.exec(authorization ?? '')?.[1];
  if (!token) throw new DomainError('access-denied');
  try {
    return server.jwt.verify<{ sub: string }>(token).sub;
  } catch (cause) {
    const expired = (cause as { code?: string }).code === 'FAST_JWT_EXPIRED';
    throw new DomainError(expired ? 'token-expired' : 'access-denied', { cause });
  }
}
