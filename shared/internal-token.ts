import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { DomainError } from './errors.ts';

/** Header of the shared secret that calls between our services carry. */
export const INTERNAL_TOKEN_HEADER = 'x-internal-token';

/** An onRequest hook that lets only our own services in. Digests are compared, so neither length nor content leaks by time. */
export function requireInternalToken(token: string) {
  const expected = digest(token);
  return async (request: FastifyRequest): Promise<void> => {
    const given = request.headers[INTERNAL_TOKEN_HEADER];
    if (typeof given !== 'string' || !timingSafeEqual(digest(given), expected)) {
      throw new DomainError('access-denied');
    }
  };
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
