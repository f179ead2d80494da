import { once } from 'node:events';
import { type AddressInfo, createServer, type ListenOptions } from 'node:net';
import type { HttpServer } from '#shared/http/http-server.ts';

/**
 * Node takes one new connection a listening socket in each turn of its event loop (libuv, since 1.45). At three times
 * the load that can be served a turn takes tens of milliseconds, and whoever came anew waited for seconds only to be
 * told that there is too much to do. Other systems than Linux do not share a port among sockets fairly, or at all.
 */
const SOCKETS = process.platform === 'linux' ? 16 : 1;
/** Connections that wait to be taken, at each of them. */
const BACKLOG = 512;

/**
 * Serves one port from several sockets.
 *
 * @throws Error `EADDRINUSE` where anybody listens there already.
 */
export async function listen(service: HttpServer, address: { host: string; port: number }): Promise<void> {
  const shared = { ...address, backlog: BACKLOG, reusePort: SOCKETS > 1 };
  const others = Array.from({ length: SOCKETS - 1 }, () =>
    // As Node's HTTP server has its own.
    createServer({ allowHalfOpen: true, noDelay: true }, (socket) =>
      service.server.emit('connection', socket),
    ),
  );
  service.addHook('preClose', async () => {
    for (const socket of others) socket.close();
  });
  // Of two services that share a port each would get some of the requests: nobody may be there yet.
  const alone = createServer();
  await open(alone, address);
  alone.close();
  await once(alone, 'close');
  await service.listen(shared);
  const { port } = service.server.address() as AddressInfo;
  await Promise.all(others.map((socket) => open(socket, { ...shared, port })));
}

async function open(server: ReturnType<typeof createServer>, options: ListenOptions): Promise<void> {
  server.listen(options);
  await once(server, 'listening');
}
