import type { FastifyReply, FastifyRequest } from 'fastify';
import { UNANSWERED_MS } from '#shared/actions/user-actions.ts';
import { toDomainError } from '#shared/http/error-handlers.ts';
import { toHttpError } from '#shared/http/http-errors.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import type { UserAction } from '#shared/rooms.ts';
import { requestErrors } from './errors.ts';
import type { Base } from './room.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What users do by the route. `operation` sets it. */
    action?: UserAction;
  }
  interface FastifyRequest {
    /** The request was counted as failed, before it was answered. */
    isOverdue: boolean;
  }
}

type Counted = Pick<Base, 'accountRefusals' | 'errorTable' | 'recentSuccesses' | 'userActions'>;

const ERRORS = 400;
const LIMITED = 429;
/** `client-gone`. A client that leaves earlier causes no onResponse hook. */
const GONE = 499;
/** What "Estado" says of a request without answer, in place of an error's `codigo`. */
const UNANSWERED = 'sin_respuesta';
const LOOK_MS = 500;

/**
 * Counts how users' actions end, by the answer (`shared/actions/user-actions.ts`). The canary's count nothing: four good rounds a
 * minute would end the failure of the one customer who fails at night, and its own failures would never end.
 */
export function countActions(server: HttpServer, base: Counted): void {
  const { userActions, recentSuccesses } = base;
  const unanswered = watchUnanswered(server, base);
  server.decorateRequest('isOverdue', false);
  // From here on the request is whole: a client that sends slowly is not waiting.
  server.addHook('preValidation', (request, reply, done) => {
    const { action } = request.routeOptions.config;
    if (action && action !== 'print') unanswered.set(reply, performance.now());
    done();
  });
  server.addHook('onResponse', (request, reply, done) => {
    const { statusCode: status } = reply;
    const { action } = request.routeOptions.config;
    unanswered.delete(reply);
    // Also for the canary: at night it may be the only customer of this process.
    if (action === 'create' && status < ERRORS) recentSuccesses.note('create');
    const isCounted = action && !request.ofCanary;
    if (isCounted) countAccount(base, request, action, status);
    if (isCounted && !request.isOverdue) {
      if (status >= 500) countFailure(base, request, action, request.failure, reply.elapsedTime);
      else if (status < ERRORS) userActions.count(action, 'ok');
      else if (status === LIMITED && action === 'print') userActions.countLimitedLabel();
    }
    done();
  });
}

/** Counts how the last request of the account ended, if it says anything of our data. */
function countAccount(
  { accountRefusals, errorTable }: Counted,
  { apiUser, failure }: FastifyRequest,
  action: UserAction,
  status: number,
): void {
  const account = (apiUser as { account?: string } | undefined)?.account;
  if (!account || status >= 500) return;
  if (status < ERRORS) {
    accountRefusals.count(action, account);
    return;
  }
  const errors = Object.values(errorTable);
  const { ownData: data } = errors.find(({ codigo }) => codigo !== undefined && codigo === failure) ?? {};
  if (failure && data) accountRefusals.count(action, account, { codigo: failure, data });
}

/** Counts each of these requests as failed once it has waited for `UNANSWERED_MS`. The oldest stands first. */
function watchUnanswered(server: HttpServer, base: Counted): Map<FastifyReply, number> {
  const unanswered = new Map<FastifyReply, number>();
  const look = () => {
    const latest = performance.now() - UNANSWERED_MS;
    for (const [reply, since] of unanswered) {
      if (since > latest) break;
      unanswered.delete(reply);
      const { request, raw } = reply;
      const { action } = request.routeOptions.config;
      // Whoever reads an answer slowly, or has left, does not wait for us.
      if (!action || raw.headersSent || raw.destroyed) continue;
      request.isOverdue = true;
      countFailure(base, request, action, UNANSWERED, reply.elapsedTime);
    }
  };
  const timer = setInterval(look, LOOK_MS).unref();
  server.addHook('onClose', async () => clearInterval(timer));
  return unanswered;
}

/** Counts a failure after the head of the answer, which is a success: the connection is cut, and no hook runs. */
export function countCut(base: Counted, request: FastifyRequest, error: Error): void {
  const { action } = request.routeOptions.config;
  const { status, codigo } = toHttpError(base.errorTable, toDomainError(error));
  if (action && status !== GONE) countFailure(base, request, action, codigo);
}

function countFailure(
  { userActions }: Counted,
  { ofCanary }: FastifyRequest,
  action: UserAction,
  codigo: string | undefined,
  ms?: number,
): void {
  if (ofCanary) return;
  const refused = codigo === requestErrors.overloaded.codigo;
  userActions.count(action, refused ? 'refused' : 'failed', codigo, ms);
}
