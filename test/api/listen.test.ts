import { type AddressInfo, connect } from 'node:net';
import { test as base, describe, expect } from 'vitest';
import { listen } from '#services/api/listen.ts';
import { buildHttpServer } from '#shared/http/build-http-server.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import { createLogger } from '#shared/observability/logger.ts';

function portOf(server: HttpServer): number {
  return (server.server.address() as AddressInfo).port;
}

const build = () => buildHttpServer({ log: createLogger('api', 'silent') }, async () => {});
const test = base.extend('server', { scope: 'file' }, async ({}, { onCleanup }) => {
  const server = await build();
  onCleanup(() => server.close());
  await listen(server, { host: '127.0.0.1', port: 0 });
  return server;
});

describe('the port of the api', () => {
  test.runIf(process.platform === 'linux')(
    'takes many connections in a turn of the event loop',
    async ({ server }) => {
      let taken = 0;
      server.server.on('connection', () => taken++);
      const clients = Array.from({ length: 200 }, () => connect(portOf(server), '127.0.0.1'));
      // The kernel has made all connections before the next turn begins.
      const end = performance.now() + 100;
      while (performance.now() < end);
      let turns = 0;
      for (; taken < clients.length; turns++) await new Promise(setImmediate);
      for (const client of clients) client.destroy();
      expect(turns).toBeLessThan(clients.length / 4);
    },
  );

  test('is free again when the service is closed', async () => {
    const short = await build();
    await listen(short, { host: '127.0.0.1', port: 0 });
    const port = portOf(short);
    expect((await fetch(`http://127.0.0.1:${port}/health/live`)).status).toBe(200);
    await short.close();
    const refused = await new Promise((settled) => {
      const client = connect(port, '127.0.0.1');
      client.on('error', ({ message }) => settled(message)).on('connect', () => settled('connected'));
    });
    expect(refused).toContain('ECONNREFUSED');
  });
});
