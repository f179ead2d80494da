import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { pipeline, Transform } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

/** A TCP proxy that can be slow. */
export type TcpProxy = {
  port: number;
  /** Everything that the server says comes so much later, in ms, until it is called again. */
  slow(ms: number): void;
  /** Nothing passes in either direction, and no connection ends, until the function that comes back is called. */
  freeze(): () => void;
  /** Ends every connection at once, as when a server or a switch between loses power. @returns how many. */
  cut(): number;
  close(): Promise<void>;
};

/** @param target the port on this machine to connect to, asked for with every connection; none refuses it. */
export async function startProxy(target: () => number | undefined): Promise<TcpProxy> {
  let delay = 0;
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
    const back = passing(async () => {
      await thawed;
      if (delay > 0) await sleep(delay);
    });
    // Whichever side ends, the other is ended too.
    pipeline(client, there, upstream, () => upstream.destroy());
    pipeline(upstream, back, client, () => client.destroy());
  });
  const cut = () => {
    const count = sockets.size / 2;
    for (const socket of sockets) socket.destroy();
    return count;
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    slow: (ms) => {
      delay = ms;
    },
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
