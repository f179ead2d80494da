import type { FastifyReply } from 'fastify';

/** Returns a signal that aborts when the client is gone, also before now, or has its answer. */
export function whenGone({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  if (raw.destroyed) gone.abort();
  else raw.once('close', () => gone.abort());
  return gone.signal;
}
