import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { DomainError } from '#shared/errors.ts';

/** Header of the shared secret that calls between our services carry. */
export const INTERNAL_TOKEN_HEADER = 'x-internal-token';

/**
 * An onRequest hook that lets only our own services in. Digests are compared, so neither length nor content leaks by
 * time.
 *
 * @param tokens each of them is accepted, so that one can be replaced while both ends serve.
 */
export function requireInternalToken(tokens: readonly string[]) {
  const accepted = tokens.map(digest);
  return async (request: FastifyRequest): Promise<void> => {
    const given = request.headers[INTERNAL_TOKEN_HEADER];
    const own = typeof given === 'string' && accepted.some((token) => timingSafeEqual(digest(given), token));
    if (!own) throw new DomainError('access-denied');
  };
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
