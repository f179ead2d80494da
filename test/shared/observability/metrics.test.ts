import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { expect, onTestFinished, vi } from 'vitest';
import { startRedis } from '#local/programs/redis.ts';
import { buildHttpServer } from '#shared/http/build-http-server.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import { createLogger } from '#shared/observability/logger.ts';
import { RefusesWrites } from '#shared/stores/dependencies.ts';
import { openRedis } from '#shared/stores/redis.ts';
import { test } from '#test/fixtures/folder.ts';
import { scrape } from '#test/fixtures/telemetry/metrics.ts';

const log = createLogger('test', 'silent');

async function serve(assemble: (server: HttpServer) => Promise<void> = async () => {}) {
  const server = await buildHttpServer({ log }, assemble);
  server.get('/things/:id', async () => ({}));
  server.post('/things/:id', async () => {
    throw new Error('a fault');
  });
  onTestFinished(() => server.close());
  await server.startup.done;
  return server.listen({ host: '127.0.0.1', port: 0 });
}
const requests = (series: Map<string, number>) =>
  [...series].filter(([name]) => name.startsWith('http_request_duration_seconds_count'));

test('requests are measured by route and status, and no client can create a series', async () => {
  const url = await serve();
  const ask = (path: string, method = 'GET') => fetch(url + path, { method });
  await ask('/things/1');
  await ask('/things/1', 'POST');
  await ask('/no/such/path');
  const before = requests(await scrape(url));
  expect(Object.fromEntries(before)).toEqual({
    'http_request_duration_seconds_count{method="GET",route="/things/:id",status="200"}': 1,
    'http_request_duration_seconds_count{method="POST",route="/things/:id",status="500"}': 1,
    'http_request_duration_seconds_count{method="GET",route="none",status="404"}': 1,
  });
  for (let i = 0; i < 50; i++) {
    await ask(`/things/${i}?q=${i}`);
    await ask(`/x${i}/..%2f/%7B%22${i}`);
  }
  const after = requests(await scrape(url));
  expect(after.map(([name]) => name)).toEqual(before.map(([name]) => name));
  expect(after.map(([, count]) => count)).toEqual([51, 1, 51]);
});

test('a dependency is up or down, and one that hangs is down', async () => {
  const url = await serve(async ({ dependencies }) => {
    dependencies.set('redis', { check: async () => 'PONG', required: true });
    dependencies.set('mongodb', { check: () => new Promise(() => {}), required: true });
    dependencies.set('branches', { check: () => Promise.reject(new Error('away')), required: false });
  });
  const series = await scrape(url);
  const up = ['redis', 'mongodb', 'branches'].map((name) =>
    series.get(`dependency_up{dependency="${name}"}`),
  );
  expect(up).toEqual([1, 0, 0]);
  expect(await (await fetch(`${url}/health/ready`)).json()).toEqual({
    status: 'down',
    redis: 'ok',
    mongodb: 'down',
    branches: 'down',
  });
});

test('a service that misses what it can do without is ready, and not well', async () => {
  let state: Promise<unknown> = Promise.reject(new Error('away'));
  state.catch(() => {});
  const url = await serve(async ({ dependencies }) => {
    dependencies.set('redis', { check: async () => 'PONG', required: true });
    dependencies.set('branches', { check: () => state, required: false });
  });
  const ready = async () => {
    const answer = await fetch(`${url}/health/ready`);
    return [answer.status, await answer.json()];
  };
  expect(await ready()).toEqual([200, { status: 'degraded', redis: 'ok', branches: 'down' }]);
  state = Promise.reject(new RefusesWrites('OOM'));
  state.catch(() => {});
  expect(await ready()).toEqual([200, { status: 'degraded', redis: 'ok', branches: 'read-only' }]);
  state = Promise.resolve();
  expect(await ready()).toEqual([200, { status: 'ok', redis: 'ok', branches: 'ok' }]);
});

test('a Redis that refuses writes is told from one that is away', async ({ folder }) => {
  vi.stubEnv('REDIS_URL', ''); // a Redis of our own, to be filled
  const own = await startRedis({ folder: join(folder, 'full'), durable: false, log: () => {} });
  const root = new Redis(own.url);
  const url = await serve(async (server) => {
    openRedis(server, own.url, '{t}');
  });
  const ready = async () => {
    const response = await fetch(`${url}/health/ready`);
    return [response.status, await response.json()];
  };
  const figures = async () => {
    const series = await scrape(url);
    return [
      'dependency_up{dependency="redis"}',
      'dependency_refuses_writes{dependency="redis"}',
      'redis_max_bytes',
    ].map((name) => series.get(name));
  };
  try {
    expect(await ready()).toEqual([200, { status: 'ok', redis: 'ok' }]);
    await root.config('SET', 'maxmemory', '100000');
    expect(await ready()).toEqual([200, { status: 'degraded', redis: 'read-only' }]);
    expect(await figures()).toEqual([1, 1, 100_000]);
    await root.config('SET', 'maxmemory', '0');
    await root.config('SET', 'min-replicas-to-write', '1');
    expect(await ready()).toEqual([200, { status: 'degraded', redis: 'read-only' }]);
    await expect.poll(figures).toEqual([1, 1, undefined]);
    await root.config('SET', 'min-replicas-to-write', '0');
    await expect.poll(figures).toEqual([1, 0, undefined]);
    await root.replicaof('127.0.0.1', '1');
    expect(await ready()).toEqual([200, { status: 'degraded', redis: 'read-only' }]);
    await root.replicaof('NO', 'ONE');
    // The connection was opened anew, as the primary might be elsewhere.
    await expect.poll(figures).toEqual([1, 0, undefined]);
  } finally {
    root.disconnect();
    await own.close();
    vi.unstubAllEnvs();
  }
});

test('a Redis that cannot write to its disk says so, also where CONFIG is forbidden', async ({ folder }) => {
  vi.stubEnv('REDIS_URL', ''); // a Redis of our own, whose folder is removed
  const data = join(folder, 'disk');
  const own = await startRedis({ folder: data, durable: false, log: () => {} });
  vi.unstubAllEnvs();
  const root = new Redis(own.url);
  await root.call('ACL', 'SETUSER', 'managed', 'on', '>secret', '~*', '+@all', '-config');
  const url = await serve(async (server) => {
    openRedis(server, own.url.replace('//', '//managed:secret@'), '{t}');
  });
  const failed = async () => (await scrape(url)).get('redis_disk_write_failed');
  await expect.poll(failed).toBe(0);
  rmSync(data, { recursive: true });
  await root.bgsave();
  await expect.poll(failed).toBe(1);
  root.disconnect();
  await own.close();
});
