import { expect, inject, test, vi } from 'vitest';
import { createLogger } from '#shared/observability/logger.ts';
import { connectMongo } from '#shared/stores/mongo.ts';
import { startProxy } from '#test/faults/system/proxy.ts';

/** Where the driver keeps the connection by which it looks after its server; nothing public leads there. */
type Driver = {
  topology: { s: { servers: Map<string, { monitor: { connection: { socket: { destroy(): void } } } }> } };
};

test.for([
  ['w=1', 'w=1'],
  ['readPreference=secondaryPreferred', 'readPreference=secondaryPreferred'],
  ['readConcernLevel=available', 'readConcernLevel=available'],
])('an address with %s is refused, and the reason has no password', async ([options, named]) => {
  const uri = `mongodb://api:hunter2@127.0.0.1:1/guias?${options}`;
  const refused = await connectMongo(uri, createLogger('test', 'silent')).catch((error: Error) => error);
  expect(refused).toMatchObject({
    name: 'ConfigError',
    message: expect.stringContaining(`MONGODB_URI has ${named}. Remove that`),
  });
  expect((refused as Error).message).not.toContain('hunter2');
});

test.for(['', '?w=majority&journal=true'])(
  'writes are those of a majority, with its journal, sent once, and reads of the primary: %s',
  async (options) => {
    const { origin } = new URL(inject('mongoUri').replace('mongodb:', 'http:'));
    const uri = `${origin.replace('http:', 'mongodb:')}/test${options}`;
    const connection = await connectMongo(uri, createLogger('test', 'silent'));
    const { writeConcern, readPreference, retryWrites } = connection.getClient().options;
    expect(writeConcern).toMatchObject({ w: 'majority', journal: true });
    expect(readPreference.mode).toBe('primary');
    expect(retryWrites).toBe(false);
    await connection.close();
  },
);

test('a process has fifty connections, and an operation waits two seconds for one, whatever the address says', async () => {
  const { origin } = new URL(inject('mongoUri').replace('mongodb:', 'http:'));
  const uri = `${origin.replace('http:', 'mongodb:')}/test?maxPoolSize=500&waitQueueTimeoutMS=60000`;
  const connection = await connectMongo(uri, createLogger('test', 'silent'));
  expect(connection.getClient().options).toMatchObject({ maxPoolSize: 50, waitQueueTimeoutMS: 2_000 });
  await connection.close();
});

test('the driver does not wait for a connection that closes while it writes', async () => {
  const { hostname, port } = new URL(inject('mongoUri'));
  const proxy = await startProxy(() => Number(port));
  const look = 'heartbeatFrequencyMS=500&serverMonitoringMode=poll';
  const uri = `mongodb://${hostname}:${proxy.port}/test?${look}`;
  const connection = await connectMongo(uri, createLogger('test', 'silent'));
  const client = connection.getClient();
  const ping = () => client.db('admin').command({ ping: 1 });
  await ping();

  // After the driver has looked at its state, and before it writes.
  await new Promise<void>((resolve) => {
    client.once('serverHeartbeatStarted', () => {
      for (const { monitor } of (client as unknown as Driver).topology.s.servers.values()) {
        monitor.connection.socket.destroy();
      }
      resolve();
    });
  });
  proxy.cut();
  await vi.waitFor(ping, { timeout: 15_000, interval: 100 });

  await connection.close();
  await proxy.close();
});
