import { subscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import type { mongo } from 'mongoose';

const ports = new Set<number | undefined>();
subscribe('net.client.socket', (message) => watch((message as { socket: Socket }).socket));

/**
 * Makes a client's write fail when its connection is closed at the same moment.
 *
 * The driver (mongodb 7.8) waits for such a connection to drain, without end: the operation never ends, whatever its
 * deadlines. And where it is the connection by which the driver looks after its server, then no server is there for
 * it ever again, and every request is a 503 until somebody restarts the process. (`test/faults/api` cuts connections,
 * and saw one or the other in every third run.) Nothing that the driver offers leads to its connections, so they are
 * known by their port.
 */
export function applyMongoDrainWorkaround(client: mongo.MongoClient): void {
  for (const { port } of client.options.hosts) ports.add(port);
  client.on('serverOpening', ({ address }) => ports.add(Number(address.slice(address.lastIndexOf(':') + 1))));
}

function watch(socket: Socket): void {
  let port: number | undefined;
  socket.once('connect', () => {
    port = socket.remotePort; // not known any more once it is closed
  });
  socket.once('close', () => {
    // The write comes with the promises of this moment, so after them it waits already.
    setImmediate(() => {
      if (!ports.has(port) || socket.listenerCount('drain') === 0) return;
      socket.emit('error', Object.assign(new Error('write to a closed connection'), { code: 'EPIPE' }));
    });
  });
}
