import type { FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { DomainError } from '#shared/errors.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import { AccountTurns } from '../quotas/account-turns.ts';
import { whenGone } from '../when-gone.ts';
import { apiUser } from './authenticate.ts';

/** A body of more bytes is large: some ten guides with every field, or a hundred of the smallest. */
const LARGE_BYTES = 16 * 1024;
/** Large requests of an account that a process works on at a time: one is checked while another is stored. */
const MAX_ACTIVE = 2;
/** Large requests of an account that may wait for that. */
const MAX_WAITING = 30;
/** Longest wait, in ms. */
const MAX_WAIT_MS = 5_000;
/**
 * How long a refused one keeps its place: 1 ms a KiB, at most so many ms. A hostile body of 0.4 MiB takes the event loop for
 * some 40 ms (docs/decisions/0029-bounds-of-checking.md).
 */
const MAX_REFUSED_MS = 2_000;
/** Bytes that a body without a length is taken to have. */
const UNKNOWN_BYTES = 512 * 1024;
/** When an account with too many may try again, in seconds: that many take longer. */
const RETRY_AFTER_S = 2;

/**
 * Lets each account have a few large bodies at a time; others of it wait before their body is read, so that they take no
 * memory and no time of other accounts. A creation of 500 guides takes the event loop for tens of milliseconds. After a body
 * that is refused, the account's next ones wait longer, so that whoever sends nothing else leaves most of the event loop to
 * others.
 *
 * Its hook throws DomainError `too-many-requests`, with the seconds to wait.
 */
export const largeBodies = fp(
  async (server: HttpServer) => {
    const turns = new AccountTurns({ active: MAX_ACTIVE, waiting: MAX_WAITING, waitMs: MAX_WAIT_MS });
    server.addHook('onRequest', async (request, reply) => {
      if (!isLarge(request)) return;
      const gone = whenGone(reply);
      const end = await turns.take(apiUser(request).account, gone);
      if (!end) throw new DomainError('too-many-requests', { params: { seconds: RETRY_AFTER_S } });
      if (gone.aborted) end();
      else
        gone.addEventListener('abort', () => {
          if (isRefused(reply)) setTimeout(end, refusedMs(request)).unref();
          else end();
        });
    });
  },
  { name: 'large-bodies', dependencies: ['authenticate'] },
);

/** A body without a length may have any. */
function isLarge({ headers }: FastifyRequest): boolean {
  return 'transfer-encoding' in headers || Number(headers['content-length'] ?? 0) > LARGE_BYTES;
}

function isRefused({ statusCode }: FastifyReply): boolean {
  return statusCode >= 400 && statusCode < 500;
}

function refusedMs({ headers }: FastifyRequest): number {
  return Math.min(Number(headers['content-length'] ?? UNKNOWN_BYTES) / 1_024, MAX_REFUSED_MS);
}
