import { Writable } from 'node:stream';
import { pino } from 'pino';
import { expect, onTestFinished } from 'vitest';
import { buildHttpServer } from '#shared/http/build-http-server.ts';
import { beatWhileServing } from '#shared/http/heartbeats.ts';
import type { Logger } from '#shared/observability/logger.ts';
import { removeHeartbeat, type ServiceHeartbeat, writeHeartbeat } from '#shared/stores/heartbeat.ts';
import { openRedis } from '#shared/stores/redis.ts';
import { timeOf } from '#shared/stores/redis-clock.ts';
import { fingerprintsOf } from '#shared/stores/shared-settings.ts';
import { test } from '#test/fixtures/stores.ts';

/** Longest time in which a killed process counts, in ms. */
const LIFE_MS = 7_000;

// As when all pods are deleted together (k8s/runbook.md "SecretsDiffer").
test('a process with a new secret gets ready once those with the former one have closed or died', async ({
  stores,
}) => {
  const { redis, prefix, redisUrls } = stores;
  const lines: string[] = [];
  const sink = new Writable({
    write: (line, _, done) => {
      lines.push(String(line));
      done();
    },
  });
  const at = await timeOf(redis);
  const [closes, dies] = ['closes', 'dies'].map((id): ServiceHeartbeat => {
    const settings = fingerprintsOf({ JWT_SECRET: 'former' });
    const known = { id, host: 'host', pid: 1, startedAt: at - 60_000, at, clockAheadMs: 0 };
    return { ...known, dependencies: {}, service: 'api', settings };
  }) as [ServiceHeartbeat, ServiceHeartbeat];
  await Promise.all([closes, dies].map((each) => writeHeartbeat(redis, prefix, each)));
  const log = pino({ base: null }, sink) as unknown as Logger;
  const server = await buildHttpServer({ log }, async (server) => {
    const config = { REDIS_PREFIX: prefix, JWT_SECRET: 'new' };
    beatWhileServing(server, 'api', openRedis(server, redisUrls.api, prefix), config);
  });
  onTestFinished(() => server.close());
  await server.ready();
  await expect.poll(() => lines.join('')).toContain('JWT_SECRET is not that of 2 of 2 processes');
  expect((await server.inject('/health/ready')).statusCode).toBe(503);
  await removeHeartbeat(redis, prefix, closes);
  const key = `${prefix}:service:${dies.id}`;
  expect(await redis.pttl(key)).toBeLessThanOrEqual(LIFE_MS);
  await redis.pexpire(key, 1);
  await server.startup.done;
  expect((await server.inject('/health/ready')).statusCode).toBe(200);
});
