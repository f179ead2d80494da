import fp from 'fastify-plugin';
import type { Permission } from '#shared/accounts/user-store.ts';
import { DomainError } from '#shared/errors/domain-error.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import { apiUser } from './authenticate.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** `any` demands only a valid credential, `token` one that a person has logged in for. `operation` sets it. */
    permission?: Permission | 'any' | 'token';
  }
}

/**
 * Demands its permission on every route of the scope. A route without one fails at start: a forgotten line must not
 * open a door.
 * @throws DomainError `forbidden` or `token-required`, in the hook.
 */
export const authorize = fp(async (server: HttpServer) => {
  server.addHook('onRoute', ({ url, config }) => {
    if (!config?.permission) throw new Error(`The route ${url} names no permission`);
  });
  server.addHook('onRequest', async (request) => {
    const { permission = 'any' } = request.routeOptions.config;
    const { permissions, token } = apiUser(request);
    if (permission === 'any') return;
    if (permission === 'token') {
      if (!token) throw new DomainError('token-required');
    } else if (!permissions.includes(permission)) throw new DomainError('forbidden');
  });
});
