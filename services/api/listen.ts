import { once } from 'node:events';
import { type AddressInfo, createServer, type ListenOptions, type Server } from 'node:net';
import type { HttpServer } from '#shared/http/http-server.ts';

/**
 * Listening sockets of the port. Node accepts one connection per socket and turn of its event loop, and under overload a
 * turn takes tens of milliseconds (docs/decisions/0007-sixteen-sockets.md). Only Linux shares a port among sockets evenly.
 */
const SOCKETS = process.platform === 'linux' ? 16 : 1;
/** Connections that may wait at each socket to be accepted. */
const BACKLOG = 512;

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
  service.addHook('preClose', async () => {
    for (const socket of others) socket.close();
  });
  await requireFree(address);
  await service.listen(shared);
  const { port } = service.server.address() as AddressInfo;
  await Promise.all(others.map((socket) => open(socket, { ...shared, port })));
}

/** A shared port also admits another process, which would then get some of the requests: nobody may listen there yet. */
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
