import type { FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { DomainError } from '#shared/errors.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import { apiUser } from './authenticate.ts';

/** A body of more bytes is large: some ten guides with every field, or a hundred of the smallest. */
const LARGE_BYTES = 16 * 1024;
/** Large requests of an account that a process works on at a time: one is checked while another is stored. */
const MAX_ACTIVE = 2;
/** Large requests of an account that may wait for that. */
const MAX_WAITING = 30;
/** Longest wait, in ms. */
const MAX_WAIT_MS = 5_000;
/** When an account with too many may try again, in seconds: that many take longer. */
const RETRY_AFTER_S = 2;

/** What an account has here: requests that are worked on, and those that wait, the first in front. */
type Line = { active: number; waiting: (() => void)[] };

/**
 * Lets each account have a few large bodies at a time; others of it wait before their body is read, so that they take no
 * memory and no time of other accounts. A creation of 500 guides takes the event loop for tens of milliseconds.
 *
 * Its hook throws DomainError `too-many-requests`, with the seconds to wait.
 */
export const largeBodies = fp(
  async (server: HttpServer) => {
    const lines = new Map<string, Line>();
    server.addHook('onRequest', async (request, reply) => {
      if (!isLarge(request)) return;
      const { account } = apiUser(request);
      const line = lines.get(account) ?? { active: 0, waiting: [] };
      lines.set(account, line);
      const end = () => {
        const next = line.waiting.shift();
        if (next) return next();
        line.active--;
        if (line.active === 0) lines.delete(account);
      };
      if (line.active < MAX_ACTIVE) line.active++;
      else await waitForTurn(line, reply);
      if (reply.raw.destroyed) end();
      else reply.raw.once('close', end);
    });
  },
  { name: 'large-bodies', dependencies: ['authenticate'] },
);

/** A body without a length may have any. */
function isLarge({ headers }: FastifyRequest): boolean {
  return 'transfer-encoding' in headers || Number(headers['content-length'] ?? 0) > LARGE_BYTES;
}

/** Waits for a place among those that are worked on, which the request then has. */
async function waitForTurn({ waiting }: Line, reply: FastifyReply): Promise<void> {
  const refusal = new DomainError('too-many-requests', { params: { seconds: RETRY_AFTER_S } });
  if (waiting.length >= MAX_WAITING) throw refusal;
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const begin = () => resolve(true);
  waiting.push(begin);
  const giveUp = () => {
    const place = waiting.indexOf(begin);
    if (place >= 0) waiting.splice(place, 1);
    resolve(false);
  };
  const timer = setTimeout(giveUp, MAX_WAIT_MS);
  reply.raw.once('close', giveUp);
  const begun = await promise;
  clearTimeout(timer);
  reply.raw.off('close', giveUp);
  if (!begun) throw refusal;
}
