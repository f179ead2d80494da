import type { FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import type { UserAction } from '#shared/contracts/user-actions.ts';
import { toDomainError } from '#shared/http/error-handlers.ts';
import { toHttpError } from '#shared/http/http-errors.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import { httpErrors } from '../errors.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What users do by the route. `operation` sets it. */
    action?: UserAction;
  }
}

const ERRORS = 400;
const LIMITED = 429;
/** `client-gone`. A client that leaves earlier causes no onResponse hook. */
const GONE = 499;

/** Counts how users' actions end, by the answer (`shared/contracts/user-actions.ts`). */
export const countActions = fp(async (server: HttpServer) => {
  const { userActions } = server;
  server.addHook('onResponse', (request, { statusCode: status }, done) => {
    const { action } = request.routeOptions.config;
    if (action) {
      if (status >= 500) countFailure(request, action, request.failure);
      else if (status < ERRORS) userActions.count(action, 'ok');
      else if (status === LIMITED && action === 'print') userActions.countLimitedLabel();
    }
    done();
  });
});

/** Counts a failure after the head of the answer, which is a success: the connection is cut, and no hook runs. */
export function countCut(request: FastifyRequest, error: Error): void {
  const { action } = request.routeOptions.config;
  const { status, codigo } = toHttpError(httpErrors, toDomainError(error));
  if (action && status !== GONE) countFailure(request, action, codigo);
}

function countFailure({ server }: FastifyRequest, action: UserAction, codigo: string | undefined): void {
  const refused = codigo === httpErrors.overloaded.codigo;
  server.userActions.count(action, refused ? 'refused' : 'failed', codigo);
}
