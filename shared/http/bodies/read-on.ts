import type { IncomingMessage } from 'node:http';
import type { HttpServer } from '../http-server.ts';

/** Bytes of a refused body that are still read: whoever sends more sees the connection close. */
const MAX_BYTES = 16 * 1024 * 1024;
/** Longest time to read them, in ms. */
const MAX_MS = 2_000;

/**
 * Reads on, before 413 is answered and the connection closes, what is still being sent, and throws it away. To close
 * while bytes arrive resets the connection, and the answer is lost: nginx in front answered 502 in place of 17 of 60.
 */
export function readOnBeforeClosing(server: HttpServer): void {
  server.addHook('onSend', async ({ raw }, reply) => {
    if (reply.statusCode === 413) await discardRest(raw);
  });
}

/** Resolves when the body has ended, or is larger or slower than is waited for. */
async function discardRest(body: IncomingMessage): Promise<void> {
  if (body.readableEnded || body.destroyed) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, MAX_MS);
  let bytes = 0;
  const count = (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) resolve();
  };
  body.on('data', count).once('end', resolve).once('close', resolve).on('error', resolve);
  await promise;
  clearTimeout(timer);
  body.off('data', count).pause();
}
