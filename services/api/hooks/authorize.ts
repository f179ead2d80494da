import fp from 'fastify-plugin';
import type { Permission } from '#shared/auth/user-store.ts';
import { DomainError } from '#shared/errors/domain-error.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import { apiUser } from './authenticate.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What the user must be allowed to do; `any` demands a valid token only. `operation` sets it. */
    permission?: Permission | 'any';
  }
}

/**
 * Makes every route of the scope that registers it demand its permission. A route that names none does not start: a
 * forgotten line must not become an open door.
 *
 * Its hook throws DomainError `forbidden`.
 */
export const authorize = fp(async (server: HttpServer) => {
  server.addHook('onRoute', ({ url, config }) => {
    if (!config?.permission) throw new Error(`The route ${url} names no permission`);
  });
  server.addHook('onRequest', async (request) => {
    const permission = request.routeOptions.config.permission ?? 'any';
    const allowed = permission === 'any' || apiUser(request).permissions.includes(permission);
    if (!allowed) throw new DomainError('forbidden');
  });
});
