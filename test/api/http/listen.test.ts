import { type AddressInfo, connect } from 'node:net';
import { test as base, expect } from 'vitest';
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

test.runIf(process.platform === 'linux')(
  'the port of the api takes many connections in a turn of the event loop',
  async ({ server }) => {
    let taken = 0;
    server.server.on('connection', () => taken++);
    const clients = Array.from({ length: 400 }, () => connect(portOf(server), '127.0.0.1'));
    await new Promise(process.nextTick); // in which they are begun
    // The kernel has made all connections before the next turn begins.
    const end = performance.now() + 100;
    while (performance.now() < end);
    let turns = 0;
    for (; taken < clients.length; turns++) await new Promise(setImmediate);
    for (const client of clients) client.destroy();
    expect(turns).toBeLessThan(clients.length / 16);
  },
);
