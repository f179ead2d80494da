import { expect } from 'vitest';
import { buildHttpServer } from '#shared/http/build-http-server.ts';
import { createLogger } from '#shared/observability/logger.ts';
import { openMongo } from '#shared/stores/mongo.ts';
import { writing } from '#shared/stores/mongo-check.ts';
import { openBlockingRedis, openRedis } from '#shared/stores/redis.ts';
import { test } from '#test/fixtures/stores.ts';

const log = createLogger('test', 'silent');

test('a start that fails closes what it had opened, the last first, and keeps its own error', async () => {
  const closed: string[] = [];
  const start = buildHttpServer({ log, drainMs: 60_000 }, async (server) => {
    server.addHook('onClose', async () => closed.push('first'));
    await server.register(async () => {});
    server.addHook('onClose', async () => closed.push('second'));
    throw new Error('the port of the branches service is wrong');
  });
  await expect(start).rejects.toThrow('the port of the branches service is wrong');
  expect(closed).toEqual(['second', 'first']);
});

test('no connection outlives a start that fails', async ({ stores }) => {
  const name = `t${stores.prefix.slice(1, -1)}`;
  const withName = (url: string) => `${url}${url.includes('?') ? '&' : '?'}connectionName=${name}`;
  const connections = async () => (await stores.redis.call('CLIENT', 'LIST')) as string;
  const start = buildHttpServer({ log }, async (server) => {
    openMongo(server, stores.mongoUri, writing('api'));
    openRedis(server, withName(stores.redisUrl), stores.prefix);
    await openBlockingRedis(server, withName(stores.redisUrl)).ping();
    await expect.poll(async () => (await connections()).split(`name=${name} `).length - 1).toBe(2);
    throw new Error('the last part does not start');
  });
  await expect(start).rejects.toThrow('the last part does not start');
  await expect.poll(connections).not.toContain(`name=${name} `);
});
