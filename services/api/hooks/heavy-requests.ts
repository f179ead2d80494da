import type { FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import fastq from 'fastq';
import { DomainError } from '#shared/errors/domain-error.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import { apiUser, whenOver } from './authenticate.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the handler reads many documents of MongoDB. `operation` sets it. */
    readsMany?: true;
  }
  interface FastifyRequest {
    turn?: Turn;
  }
}

/** A body of more bytes is large: some ten guides with every field, or a hundred of the smallest. */
const LARGE_BYTES = 16 * 1024;
/**
 * Requests of an account that a process works on at a time, by what makes them heavy. Of large bodies one is checked while
 * another is stored. Four reads take four of the process's 50 connections to MongoDB.
 */
const MAX_ACTIVE = { body: 2, read: 4 };
const MAX_WAITING = 100;
/** When an account with too many may try again, in seconds: that many take longer. */
const RETRY_AFTER_S = 2;

/** `isWorking`: whether the handler has begun and not ended; it goes on where its client leaves. */
type Turn = { begun: PromiseWithResolvers<void>; over: PromiseWithResolvers<void>; isWorking: boolean };

/**
 * Lets each account have two large bodies and four reads of lists at a time. Others of it wait before their body is read,
 * so that they take no memory, connections and time of other accounts. Without it, a flood of creations of 500 guides over
 * 150 connections takes 450 MiB of an api. Whoever hangs up keeps the turn until the handler has ended.
 *
 * Its hook throws DomainError `too-many-requests`, with the seconds to wait, and `client-gone`.
 */
export const heavyRequests = fp(async (server: HttpServer) => {
  const lines = new Map<string, fastq.queueAsPromised<Turn>>();
  server.addHook('onRequest', async (request, reply) => {
    const kind = kindOf(request);
    if (!kind) return;
    const name = `${kind} ${apiUser(request).account}`;
    const line = lines.get(name) ?? fastq.promise(takeTurn, MAX_ACTIVE[kind]);
    if (line.length() >= MAX_WAITING) {
      throw new DomainError('too-many-requests', { params: { seconds: RETRY_AFTER_S } });
    }
    lines.set(name, line);
    line.drain = () => lines.delete(name);
    const turn = {
      begun: Promise.withResolvers<void>(),
      over: Promise.withResolvers<void>(),
      isWorking: false,
    };
    void line.push(turn);
    await turn.begun.promise;
    request.turn = turn;
    whenOver(reply, () => {
      if (!turn.isWorking) turn.over.resolve();
    });
    if (reply.raw.destroyed) throw new DomainError('client-gone');
  });
  server.addHook('preHandler', async ({ turn }) => {
    if (turn) turn.isWorking = true;
  });
  server.addHook('onSend', async ({ turn }, reply) => {
    if (!turn) return;
    turn.isWorking = false;
    if (reply.raw.destroyed) turn.over.resolve();
  });
});

async function takeTurn({ begun, over }: Turn): Promise<void> {
  begun.resolve();
  await over.promise;
}

/** A body without a length may have any. */
function kindOf({ headers, routeOptions }: FastifyRequest): keyof typeof MAX_ACTIVE | undefined {
  if (routeOptions.config.readsMany) return 'read';
  const isLarge = 'transfer-encoding' in headers || Number(headers['content-length'] ?? 0) > LARGE_BYTES;
  return isLarge ? 'body' : undefined;
}
