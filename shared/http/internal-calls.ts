import { createHash, randomUUID, timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { DomainError } from '#shared/errors/domain-error.ts';

export const INTERNAL_TOKEN_HEADER = 'x-internal-token';

type Tokens = { INTERNAL_TOKEN: string; INTERNAL_TOKEN_PREVIOUS?: string };

/**
 * Returns an onRequest hook that admits only our own services. It compares digests, so that time reveals neither
 * length nor content. While a token is rotated, the former one is accepted too.
 */
export function requireInternalToken({ INTERNAL_TOKEN: token, INTERNAL_TOKEN_PREVIOUS: previous }: Tokens) {
  const accepted = [token, ...(previous === undefined ? [] : [previous])].map(digest);
  return async (request: FastifyRequest): Promise<void> => {
    const given = request.headers[INTERNAL_TOKEN_HEADER];
    const own = typeof given === 'string' && accepted.some((token) => timingSafeEqual(digest(given), token));
    if (!own) throw new DomainError('access-denied');
  };
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

export const REQUEST_ID_HEADER = 'x-request-id';

const ID = /^[A-Za-z0-9._-]{1,64}$/;

/** Returns the client's own id if it is harmless in logs and headers, else a new one (docs/contract.md "Envelopes"). */
export function requestId(request: { headers: Record<string, string | string[] | undefined> }): string {
  const own = request.headers[REQUEST_ID_HEADER];
  return typeof own === 'string' && ID.test(own) ? own : randomUUID();
}
