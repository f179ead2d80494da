import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { expect, onTestFinished } from 'vitest';
import { freePort } from '#local/process/free-port.ts';
import { startProcess } from '#local/process/owned-process.ts';
import { buildHttpServer } from '#shared/http/build-http-server.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import type { Logger } from '#shared/observability/logger.ts';
import { openLabelCache, openRedis } from '#shared/stores/redis.ts';
import { test } from '#test/fixtures/stores.ts';

/** Opens the connection of a service, and returns the messages of its log. */
async function messagesOf(url: string): Promise<string[]> {
  return (await opened((server) => openRedis(server, url, '{test}'))).messages;
}

/** Builds a server that opens something, and returns the server and the messages of its log. */
async function opened(open: (server: HttpServer) => unknown) {
  const messages: string[] = [];
  const write = (line: string, _: unknown, done: () => void) => {
    messages.push(JSON.parse(line).msg);
    done();
  };
  const log = pino({ base: null }, new Writable({ decodeStrings: false, write })) as unknown as Logger;
  const server = await buildHttpServer({ log }, async (self) => void open(self));
  onTestFinished(() => server.close());
  return { server, messages };
}

async function startServer(folder: string, settings: string): Promise<number> {
  const port = await freePort();
  const command = `redis-server ${settings} --port ${port} --dir ${folder}`.split(' ') as [
    string,
    ...string[],
  ];
  const server = startProcess({ name: `redis-${port}`, command, logFile: join(folder, `${port}.log`) });
  onTestFinished(() => server.stop());
  return port;
}

test('the log says what is wrong with an address, once a reason', async ({ folder }) => {
  const config = join(folder, 'sentinel.conf');
  writeFileSync(config, '');
  const node = await startServer(folder, '--requirepass right');
  const sentinel = await startServer(folder, `${config} --sentinel`);
  const away = await freePort();
  const logs = await Promise.all([
    messagesOf(`redis://:wrong@127.0.0.1:${node}`),
    messagesOf(`redis://127.0.0.1:${away}`),
    messagesOf(`redis+sentinel://127.0.0.1:${sentinel}/guias`),
    messagesOf(`redis+sentinel://127.0.0.1:${away}/guias`),
  ]);
  const expected = [
    'it refuses the login',
    'ECONNREFUSED',
    'invalid reply: null',
    'All sentinels are unreachable',
  ];
  await expect
    .poll(() => logs.map((log) => log.join()))
    .toEqual(expected.map((text) => expect.stringContaining(text)));
  for (const log of logs) expect(log).toEqual([...new Set(log)]);
});

test('a Redis of the labels that would refuse them when full is told of', async ({ folder }) => {
  const says =
    'The Redis of the labels refuses labels when it is full: set its maxmemory-policy to allkeys-lru';
  const ports = [await startServer(folder, ''), await startServer(folder, '--maxmemory-policy allkeys-lru')];
  const [unset, evicting] = await Promise.all(
    ports.map((port) => opened((server) => openLabelCache(server, `redis://127.0.0.1:${port}`, '{test}'))),
  );
  await expect.poll(() => unset?.messages, { timeout: 20_000 }).toContain(says);
  const scraped = async (one: typeof unset) => (await one?.server.inject('/metrics'))?.body;
  await expect.poll(() => scraped(unset), { timeout: 20_000 }).toContain('\nlabel_cache_evicts 0\n');
  await expect.poll(() => scraped(evicting), { timeout: 20_000 }).toContain('\nlabel_cache_evicts 1\n');
  const refusesNone = 'dependency_refuses_writes{dependency="label-cache"} 0';
  await expect.poll(() => scraped(evicting), { timeout: 20_000 }).toContain(refusesNone);
  expect(evicting?.messages).not.toContain(says);
});
