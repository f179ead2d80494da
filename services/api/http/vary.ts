import type { FastifyReply } from 'fastify';

/** Adds a header name to `Vary`, and keeps the names that CORS set. */
export function addVary(reply: FastifyReply, name: string): void {
  reply.header('vary', [reply.getHeader('vary') ?? [], name].flat().join(', '));
}
