import fastifyCors from '@fastify/cors';
import type { HttpServer } from '#shared/http/http-server.ts';
import type { ApiConfig } from '../config.ts';

/** How long a browser may remember the answer to a preflight, in seconds. */
const MAX_AGE = 600;

/**
 * Allows pages of `CORS_ORIGINS` to read answers in a browser (Fetch, "CORS protocol"). Cookies are not allowed: the
 * token identifies the caller.
 */
export async function allowOrigins(server: HttpServer, { CORS_ORIGINS: origins }: ApiConfig): Promise<void> {
  if (!origins) return;
  await server.register(fastifyCors, {
    origin: origins.split(','),
    exposedHeaders: [
      'Content-Disposition',
      'ETag',
      'Idempotent-Replayed',
      'Preference-Applied',
      'Retry-After',
      'X-Request-Id',
      'RateLimit',
      'RateLimit-Policy',
    ],
    maxAge: MAX_AGE,
    // Otherwise a malformed preflight gets an error without our envelope.
    strictPreflight: false,
  });
}
