import { once } from 'node:events';
import { type AddressInfo, createServer, type ListenOptions, type Server } from 'node:net';
import type { HttpServer } from '#shared/http/http-server.ts';

/**
 * Listening sockets of the port. Node accepts one connection per socket and turn of its event loop, and a turn with the requests
 * of 150 connections takes long: while one account flooded the api from as many, other customers' creations over new connections
 * took 1.8 s at p99, and 13.6 s with one socket (medians 0.8 and 3.6 s, on two cores that other work shared). Only Linux spreads
 * connections evenly over sockets.
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
  let closed: Promise<unknown>[] = [];
  service.addHook('preClose', async () => {
    closed = others.map((socket) => once(socket.close(), 'close'));
  });
  // Node's HTTP server waits for the connections of its own socket alone. Hooks run in reverse order, so this one still holds
  // the stores open for requests that came by the other sockets.
  service.addHook('onClose', () => Promise.all(closed));
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
