import { once } from 'node:events';
import { createServer, request as forward } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * Starts a proxy in front of an api that loses the first answer to a creation, and to a file of labels answers once 503
 * and once half of the file. Pages of 500 have one guide. Everything else passes.
 */
export async function startLosingProxy(apiUrl: string) {
  const asked = new Map<string, number>();
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    const times = (asked.get(path) ?? 0) + 1;
    asked.set(path, times);
    if (path === '/api/guias/etiquetas' && times === 1) {
      request.resume();
      return void response.writeHead(503, { 'retry-after': '1' }).end('{"codigo":"servicio_no_disponible"}');
    }
    const { method = '', headers } = request;
    const onward = forward(
      apiUrl + path.replace('limite=500', 'limite=1'),
      { method, headers },
      async (answer) => {
        const body = Buffer.concat(await answer.toArray());
        if (path === '/api/guias/crear' && times === 1) return request.socket.destroy();
        const { 'content-length': _, ...rest } = answer.headers;
        response.writeHead(answer.statusCode ?? 502, rest);
        if (path !== '/api/guias/etiquetas' || times > 2) return response.end(body);
        return response.write(body.subarray(0, body.length / 2), () => request.socket.destroy());
      },
    );
    request.pipe(onward);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** How often each path was asked for. */
    asked,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
