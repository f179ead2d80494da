import type { FastifyRequest } from 'fastify';
import fastq from 'fastq';
import { DomainError } from '#shared/errors/domain-error.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import { onResponseEnd } from '../../http/response-end.ts';
import { apiUser } from './authenticate.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The handler reads many documents of MongoDB. `operation` sets it. */
    readsMany?: true;
    /**
     * Size from which a body counts as large, if the handler works more on each of its guides. `Infinity` if the route gives
     * turns of its own. `operation` sets it.
     */
    largeBytes?: number;
  }
  interface FastifyRequest {
    turn?: Turn;
  }
}

/** Bodies above this are heavy: some ten full guides, or a hundred of the smallest. */
const LARGE_BYTES = 16 * 1024;
/**
 * Active heavy requests of an account in a process. One large body is checked while another is stored. Four reads
 * take four of the 50 connections to MongoDB.
 */
const MAX_ACTIVE = { body: 2, read: 4 };
const MAX_WAITING = 100;
/** When an account with too many waiting requests may try again, in seconds. */
const RETRY_AFTER_S = 2;

/** `isWorking`: the handler runs, even if its client has left. */
type Turn = { begun: PromiseWithResolvers<void>; over: PromiseWithResolvers<void>; isWorking: boolean };

/**
 * Lets each account have two large bodies and four list reads active. The others wait before their body is read, so
 * they take no memory. A request keeps its turn until its handler ends, even if its client leaves.
 * @throws DomainError `too-many-requests` with the seconds to wait, or `client-gone`, in the hook.
 */
export function heavyRequests(server: HttpServer): void {
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
    onResponseEnd(reply, () => {
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
}

async function takeTurn({ begun, over }: Turn): Promise<void> {
  begun.resolve();
  await over.promise;
}

/** A body without a length counts as large. */
function kindOf({ headers, routeOptions }: FastifyRequest): keyof typeof MAX_ACTIVE | undefined {
  if (routeOptions.config.readsMany) return 'read';
  const { largeBytes = LARGE_BYTES } = routeOptions.config;
  const bytes = 'transfer-encoding' in headers ? Infinity : Number(headers['content-length'] ?? 0);
  return bytes > largeBytes ? 'body' : undefined;
}
