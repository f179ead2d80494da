import type { FastifyReply } from 'fastify';

/** Calls back once the response is sent or the client has left, even if it left before. */
export function onResponseEnd({ raw }: FastifyReply, call: () => void): void {
  if (raw.destroyed) call();
  else raw.once('close', call);
}

/** Returns a signal that aborts when `onResponseEnd` calls. */
export function abortSignalOf(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  // A string, because every request ends here: an error with a stack costs as much as checking a guide.
  onResponseEnd(reply, () => controller.abort('client-gone'));
  return controller.signal;
}
