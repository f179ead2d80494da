import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/**
 * An S3-compatible bucket as far as the api asks for one, which checks no signature: `bucket.versitygw.ts` asks a real server.
 * `isPublic`: whoever has no credentials may read objects, or list them. `status`: what it answers to everything.
 */
export async function startPretendedBucket() {
  const objects = new Map<string, Buffer>();
  const state: { isPublic: 'no' | 'read' | 'list'; status?: number } = { isPublic: 'no' };
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    const { pathname, search } = new URL(request.url ?? '', 'http://bucket');
    const key = pathname.replace('/evidencia/', '');
    const answer = (status: number, content?: Buffer | string) => response.writeHead(status).end(content);
    if (state.status !== undefined) return answer(state.status);
    const isSigned = request.headers.authorization?.startsWith('AWS4-HMAC-SHA256 Credential=KEY/') ?? false;
    const isList = search.includes('list-type=2');
    if (!isSigned) return answer(state.isPublic === (isList ? 'list' : 'read') ? 200 : 403);
    if (request.method === 'PUT') objects.set(key, body);
    if (request.method === 'DELETE') objects.delete(key);
    if (request.method !== 'GET') return answer(request.method === 'PUT' ? 200 : 204);
    const object = objects.get(key);
    return object ? answer(200, object) : answer(404, '<Error><Code>NoSuchKey</Code></Error>');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    address: `http://KEY:SECRET@127.0.0.1:${port}/evidencia?region=mx-central-1`,
    objects,
    state,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
