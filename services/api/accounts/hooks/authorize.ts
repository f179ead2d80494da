import type { FastifyRequest } from 'fastify';
import { DomainError } from '#shared/errors/domain-error.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import type { Permission } from '#shared/rooms.ts';
import type { Caller } from '../account-limits.ts';
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
export function authorize(server: HttpServer): void {
  server.addHook('onRoute', ({ url, config }) => {
    if (!config?.permission) throw new Error(`The route ${url} names no permission`);
  });
  server.addHook('onRequest', async (request) => requirePermission(request, apiUser(request)));
}

/**
 * Checks credential, account and permission again, in MongoDB: the checks of the request may be five seconds old. For routes
 * that create or change what outlives the credential.
 * @throws DomainError `access-denied` also if the user has changed to another account; `forbidden`.
 */
export async function requireStillValid(request: FastifyRequest): Promise<void> {
  const { account, findNow, token } = apiUser(request);
  const user = await findNow();
  if (!user || user.disabled || user.account !== account) throw new DomainError('access-denied');
  requirePermission(request, { permissions: user.permissions, ...(token && { token }) });
}

/**
 * Demands the same after a write that outlives the credential, and takes the write back otherwise. Commands end a credential
 * before they look for what outlives it, so that either they or the request see the other.
 * @throws DomainError as `requireStillValid` does, or what kept MongoDB from telling.
 */
export async function keepIfStillValid(
  request: FastifyRequest,
  takeBack: () => Promise<unknown>,
): Promise<void> {
  try {
    await requireStillValid(request);
  } catch (error) {
    await takeBack().catch((err: unknown) =>
      request.log.error({ err }, 'What a credential left that may have ended could not be taken back'),
    );
    throw error;
  }
}

function requirePermission(
  { routeOptions }: FastifyRequest,
  { permissions, token }: Pick<Caller, 'permissions' | 'token'>,
): void {
  const { permission = 'any' } = routeOptions.config;
  if (permission === 'any') return;
  if (permission === 'token') {
    if (!token) throw new DomainError('token-required');
  } else if (!permissions.includes(permission)) throw new DomainError('forbidden');
}
