import type { FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import type { ApiUser, Permission, UserStore } from '#shared/auth/user-store.ts';
import { DomainError } from '#shared/errors.ts';
import type { HttpServer } from '#shared/http/http-server.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What the route demands of the user; `any` is any valid token. */
    permission?: Permission | 'any';
  }
}

/**
 * Makes every route of the scope that registers it demand a valid token and the route's permission.
 *
 * The scope decides, not the URL's text, and a route that names no permission does not start: a forgotten
 * line must not become an open door.
 */
export function authenticate(users: UserStore, countRequest: (username: string) => Promise<void>) {
  return fp(
    async (server: HttpServer) => {
      server.addHook('onRoute', ({ url, config }) => {
        if (!config?.permission) throw new Error(`${url} names no permission`);
      });
      server.addHook('onRequest', async (request) => {
        // Node takes the first of several; whoever is before us may have checked another.
        const [authorization, another] = request.raw.headersDistinct.authorization ?? [];
        if (another !== undefined) throw new DomainError('access-denied');
        request.user = server.verifyBearer(authorization);
        const user = await users.findRecent(request.user.sub);
        if (!user || user.disabled) throw new DomainError('access-denied');
        request.apiUser = user;
        await countRequest(user.username);
        const permission = request.routeOptions.config.permission ?? 'any';
        if (permission !== 'any' && !user.permissions.includes(permission))
          throw new DomainError('forbidden');
      });
    },
    { name: 'authenticate' },
  );
}

/** Who asks, in a route that `authenticate` guards. */
export function apiUser(request: FastifyRequest): ApiUser {
  return request.apiUser as ApiUser;
}
