import fp from 'fastify-plugin';
import type { Permission } from '#shared/accounts/user-store.ts';
import { DomainError } from '#shared/errors/domain-error.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import { apiUser } from './authenticate.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** `any` demands only a valid token. `operation` sets it. */
    permission?: Permission | 'any';
  }
}

/**
 * Demands its permission on every route of the scope. A route without one fails at start: a forgotten line must not
 * open a door.
 * @throws DomainError `forbidden`, in the hook.
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
