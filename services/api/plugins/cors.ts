import fastifyCors from '@fastify/cors';
import fp from 'fastify-plugin';
import type { HttpServer } from '#shared/http/http-server.ts';

/** How long a browser may remember the answer to a preflight, in seconds. */
const MAX_AGE = 600;

/**
 * Lets pages of these origins read the answers in a browser (Fetch, "CORS protocol"). No cookies: who asks is in
 * the token, which such a page must have got from its user.
 *
 * @param origins as a browser names them, separated by commas; '' is none, and then browsers refuse all of them.
 */
export function cors(origins: string) {
  return fp(
    async (server: HttpServer) => {
      if (!origins) return;
      await server.register(fastifyCors, {
        origin: origins.split(','),
        exposedHeaders: ['Content-Disposition', 'ETag', 'Retry-After', 'X-Request-Id'],
        maxAge: MAX_AGE,
        // Else what is not quite a preflight gets an answer that is not in our envelope.
        strictPreflight: false,
      });
    },
    { name: 'cors' },
  );
}
