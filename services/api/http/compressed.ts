import type { FastifyReply, FastifyRequest } from 'fastify';
import { addVary } from './vary.ts';

/** Sends what was compressed before (gzip), to whoever takes it so. */
export function sendCompressed(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  { content, compressed }: { content: Buffer | string; compressed: Buffer },
): FastifyReply {
  addVary(reply, 'Accept-Encoding');
  const isTaken = /\bgzip\b(?!\s*;\s*q=0(?![.0-9]*[1-9]))/.test(String(headers['accept-encoding'] ?? ''));
  if (!isTaken) return reply.send(content);
  return reply.header('content-encoding', 'gzip').send(compressed);
}
