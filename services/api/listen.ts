import { once } from 'node:events';
import { type AddressInfo, createServer, type ListenOptions, type Server } from 'node:net';
import type { HttpServer } from '#shared/http/http-server.ts';

/**
 * Listening sockets of the port. Node accepts one connection per socket and turn of its event loop. With one socket,
 * a flood over 150 connections delays the new connections of others. With sixteen, 1 500 waited at three times the load
 * that two cores can serve, and a refusal took seconds to be heard. Only Linux spreads connections evenly over sockets.
 */
const SOCKETS = process.platform === 'linux' ? 64 : 1;
/** Longest queue of connections to accept, for each socket. */
const BACKLOG = 128;

/**
 * Listens on one port with several sockets, and closes all of them with the server.
 *
 * @throws Error `EADDRINUSE` when another process listens there.
 */
export async function listen(service: HttpServer, address: { host: string; port: number }): Promise<void> {
  const shared = { ...address, backlog: BACKLOG, reusePort: SOCKETS > 1 };
  // The options are those that Node's HTTP server sets for its own socket.
  const others = Array.from({ length: SOCKETS - 1 }, () =>
    createServer({ allowHalfOpen: true, noDelay: true }, (connection) =>
      service.server.emit('connection', connection),
    ),
  );
  let closed: Promise<unknown>[] = [];
  service.addHook('preClose', async () => {
    closed = others.map((socket) => once(socket.close(), 'close'));
  });
  // Node's HTTP server waits for connections of its own socket only. Hooks run in reverse order, so the stores are
  // still open here.
  service.addHook('onClose', () => Promise.all(closed));
  await requireFree(address);
  await service.listen(shared);
  const { port } = service.server.address() as AddressInfo;
  await Promise.all(others.map((socket) => open(socket, { ...shared, port })));
}

/** Another process could share the port and take requests, so the port must be free. */
async function requireFree(address: ListenOptions): Promise<void> {
  const alone = createServer();
  await open(alone, address);
  alone.close();
  await once(alone, 'close');
}

async function open(socket: Server, options: ListenOptions): Promise<void> {
  socket.listen(options);
  await once(socket, 'listening');
}
