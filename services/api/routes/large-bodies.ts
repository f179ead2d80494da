import type { FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import fastq from 'fastq';
import { DomainError } from '#shared/errors.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import { apiUser, whenOver } from './authenticate.ts';

/** A body of more bytes is large: some ten guides with every field, or a hundred of the smallest. */
const LARGE_BYTES = 16 * 1024;
/** Large requests of an account that a process works on at a time: one is checked while another is stored. */
const MAX_ACTIVE = 2;
const MAX_WAITING = 100;
/** When an account with too many may try again, in seconds: that many take longer. */
const RETRY_AFTER_S = 2;

type Turn = (end: () => void) => void;

/**
 * Lets each account have two large bodies at a time; others of it wait before their body is read, so that they take no memory
 * and no time of other accounts. A flood of creations of 500 guides over 150 connections takes 450 MiB of an api without it.
 *
 * Its hook throws DomainError `too-many-requests`, with the seconds to wait.
 */
export const largeBodies = fp(
  async (server: HttpServer) => {
    const lines = new Map<string, fastq.queue<Turn>>();
    server.addHook('onRequest', async (request, reply) => {
      if (!isLarge(request)) return;
      const { account } = apiUser(request);
      const line = lines.get(account) ?? fastq((turn: Turn, end) => turn(() => end(null)), MAX_ACTIVE);
      if (line.length() >= MAX_WAITING) {
        throw new DomainError('too-many-requests', { params: { seconds: RETRY_AFTER_S } });
      }
      lines.set(account, line);
      line.drain = () => lines.delete(account);
      await new Promise<void>((begin) => {
        line.push((end) => {
          begin();
          whenOver(reply, end);
        });
      });
    });
  },
  { name: 'large-bodies', dependencies: ['authenticate'] },
);

/** A body without a length may have any. */
function isLarge({ headers }: FastifyRequest): boolean {
  return 'transfer-encoding' in headers || Number(headers['content-length'] ?? 0) > LARGE_BYTES;
}
