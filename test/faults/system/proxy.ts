import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { PassThrough, pipeline, Transform } from 'node:stream';

/** A TCP proxy that can freeze and cut connections. */
export type TcpProxy = {
  port: number;
  /** Holds all data in both directions and keeps connections open. @returns a function that ends the freeze. */
  freeze(): () => void;
  /** Cuts every connection at once, as when a server or a switch loses power. @returns how many. */
  cut(): number;
  close(): Promise<void>;
};

/**
 * Starts a proxy, on a free port by default.
 * @param target returns the local port for each new connection; undefined refuses it.
 * @param answers makes what changes the answers of a connection.
 */
export async function startProxy(
  target: () => number | undefined,
  listenOn = 0,
  answers: () => Transform = () => new PassThrough(),
): Promise<TcpProxy> {
  let thawed: Promise<void> | undefined;
  const sockets = new Set<Socket>();
  const passing = (wait: () => Promise<unknown>) =>
    new Transform({ transform: (chunk, _, done) => void wait().then(() => done(null, chunk)) });

  const server = createServer((client) => {
    const port = target();
    if (port === undefined) {
      client.destroy();
      return;
    }
    const upstream = connect(port, '127.0.0.1');
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket
        .setMaxListeners(20)
        .setNoDelay()
        .once('close', () => sockets.delete(socket)); // two pipelines each
    }
    const there = passing(async () => thawed);
    const back = passing(async () => thawed);
    // When one side ends, the other must not stay open.
    pipeline(client, there, upstream, () => upstream.destroy());
    pipeline(upstream, answers(), back, client, () => client.destroy());
  });
  const cut = () => {
    const count = sockets.size / 2;
    for (const socket of sockets) socket.destroy();
    return count;
  };
  server.listen(listenOn, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    freeze: () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      thawed = promise;
      return resolve;
    },
    cut,
    close: async () => {
      server.close();
      cut();
      await once(server, 'close');
    },
  };
}
