import { expect, onTestFinished } from 'vitest';
import { provideRedis } from '#local/programs/redis.ts';
import { buildHttpServer } from '#shared/http/build-http-server.ts';
import { createLogger } from '#shared/observability/logger.ts';
import { openRedis } from '#shared/stores/redis.ts';
import { test } from '#test/fixtures/stores.ts';

test('a scrape reads the state of Redis once, and writes once to see whether it takes writes', async ({
  folder,
}) => {
  const { url, close } = await provideRedis({ folder, durable: false, log: () => {} });
  onTestFinished(close);
  const server = await buildHttpServer({ log: createLogger('test', 'silent') }, async (self) => {
    const redis = openRedis(self, url, '{test}');
    self.startup.onceConnected('the statistics', () => redis.config('RESETSTAT'));
    self.get('/calls', async () => redis.info('commandstats'));
  });
  onTestFinished(() => server.close());
  await server.startup.done;
  expect((await server.inject('/metrics')).body).toContain('redis_refuses_writes 0');
  const calls = (await server.inject('/calls')).body;
  expect(calls).toContain('cmdstat_info:calls=1,');
  expect(calls).toContain('cmdstat_set:calls=1,');
});
