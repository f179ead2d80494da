import { subscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import type { mongo } from 'mongoose';

const ports = new Set<number | undefined>();
subscribe('net.client.socket', (message) => watch((message as { socket: Socket }).socket));

/**
 * Makes a write of the MongoDB driver fail when its connection closes at the same moment.
 *
 * The driver (mongodb 7.8) waits for ever for such a connection to drain, whatever the operation's deadline. If it is
 * the driver's monitor, the driver never finds its server again: every request is a 503 until a restart. The driver
 * gives no access to its sockets, so they are recognised by the server's port.
 *
 * After an update of the driver, remove this and run test/faults/stores/database.long.ts ten times. If all pass, keep
 * it removed.
 */
export function applyMongoDrainWorkaround(client: mongo.MongoClient): void {
  for (const { port } of client.options.hosts) ports.add(port);
  client.on('serverOpening', ({ address }) => ports.add(Number(address.slice(address.lastIndexOf(':') + 1))));
}

function watch(socket: Socket): void {
  let port: number | undefined;
  socket.once('connect', () => {
    port = socket.remotePort; // undefined once the socket is closed
  });
  socket.once('close', () => {
    // A promise of this event-loop turn makes the write. Afterwards the driver already waits for `drain`.
    setImmediate(() => {
      if (!ports.has(port) || socket.listenerCount('drain') === 0) return;
      socket.emit('error', Object.assign(new Error('write to a closed connection'), { code: 'EPIPE' }));
    });
  });
}
