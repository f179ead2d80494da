import fp from 'fastify-plugin';
import type { HttpServer } from '#shared/http/http-server.ts';
import type { PagePolicy } from '#shared/http/security-headers.ts';

/** Pages load from the dashboard alone, and no script or style inside a page itself takes effect. */
export const PAGE_POLICY: PagePolicy = {
  defaultSrc: ["'none'"],
  scriptSrc: ["'self'"],
  styleSrc: ["'self'"],
  imgSrc: ["'self'"],
  connectSrc: ["'self'"],
  formAction: ["'self'"],
};

/** Tells browsers to keep no page, and to send our own origin with our own forms. */
export const pageHeaders = fp(async (server: HttpServer) => {
  server.addHook('onRequest', async (_request, reply) => {
    // With `no-referrer` browsers would send `Origin: null` with forms, which the CSRF check refuses.
    reply.headers({ 'cache-control': 'no-store', 'referrer-policy': 'same-origin' });
  });
});
