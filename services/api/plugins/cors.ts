import fastifyCors from '@fastify/cors';
import fp from 'fastify-plugin';
import type { HttpServer } from '#shared/http/http-server.ts';
import { RATE_LIMIT_HEADERS } from './rate-limit-headers.ts';

/** Says that an answer is that of an earlier request (draft-ietf-httpapi-idempotency-key-header). */
export const REPLAYED_HEADER = 'Idempotent-Replayed';

/** How long a browser may remember the answer to a preflight, in seconds. */
const MAX_AGE = 600;

/**
 * Allows pages of these origins to read the answers in a browser (Fetch, "CORS protocol"). Cookies are not allowed: the
 * caller is known by the token.
 *
 * @param origins as browsers name them, separated by commas; '' is none, so that browsers refuse every page.
 */
export function cors(origins: string) {
  return fp(
    async (server: HttpServer) => {
      if (!origins) return;
      await server.register(fastifyCors, {
        origin: origins.split(','),
        exposedHeaders: [
          'Content-Disposition',
          'ETag',
          REPLAYED_HEADER,
          'Preference-Applied',
          'Retry-After',
          'X-Request-Id',
          ...RATE_LIMIT_HEADERS,
        ],
        maxAge: MAX_AGE,
        // Otherwise a malformed preflight gets an answer without the envelope of all errors.
        strictPreflight: false,
      });
    },
    { name: 'cors' },
  );
}
