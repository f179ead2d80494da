import type { FastifyRequest, onErrorAsyncHookHandler, onResponseAsyncHookHandler } from 'fastify';
import { hasGuideNumberForm } from '#shared/guides/guide.ts';
import { toDomainError } from '#shared/http/error-handlers.ts';
import { toHttpError } from '#shared/http/http-errors.ts';
import type { Answer } from '#shared/stores/answer-log.ts';
import type { ErrorTable } from '../http/errors.ts';
import type { Base } from '../http/room.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Numbers of the guides that the request has created. */
    madeGuides?: readonly string[];
  }
}

/** What a request asks for. Its body and its path may hold anything. `guides`: whose labels it wants. */
type Subject = Pick<Answer, 'asked' | 'tipo' | 'format'> & { guides?: readonly unknown[] };

/** Most fields at fault that are recorded. */
const MAX_PROBLEMS = 3;
/** Of these, the name is a text of the client, and may name a person. */
const CLIENTS_NAMES: readonly string[] = ['campo_desconocido', 'parametro_desconocido'];

/**
 * Returns hooks of a route that record what it answers to known users but the canary, for those who support customers
 * (`shared/stores/answer-log.ts`). No answer waits for them.
 */
export function recordAnswers(
  { answers, redisClock, errorTable }: Pick<Base, 'answers' | 'redisClock' | 'errorTable'>,
  describe: (request: FastifyRequest) => Subject,
) {
  const errors = new WeakMap<FastifyRequest, Error>();
  const onError: onErrorAsyncHookHandler = async (request, _reply, error) => {
    errors.set(request, error);
  };
  const onResponse: onResponseAsyncHookHandler = async (request, reply) => {
    const { account } = (request.apiUser as { account: string } | undefined) ?? {};
    if (account === undefined || request.ofCanary) return;
    const { guides = [], ...subject } = describe(request);
    const numbers = new Set(
      guides.filter((each): each is string => typeof each === 'string' && hasGuideNumberForm(each)),
    );
    const error = errors.get(request);
    const answer = {
      ...subject,
      ...{ at: redisClock.now(), ms: Math.round(reply.elapsedTime), requestId: request.id, account },
      status: reply.statusCode,
      ...(error && refusal(errorTable, error)),
    };
    answers.add(answer, request.madeGuides ?? [...numbers], [...numbers]);
  };
  return { onError, onResponse };
}

function refusal(table: ErrorTable, error: Error): Pick<Answer, 'codigo' | 'problems'> {
  const { codigo, details } = toHttpError(table, toDomainError(error));
  const problems = details.slice(0, MAX_PROBLEMS).map(({ codigo, campo }) => ({
    codigo,
    ...(campo !== undefined && !CLIENTS_NAMES.includes(codigo) && { campo }),
  }));
  return { codigo, ...(problems.length > 0 && { problems }) };
}
