import { expect, onTestFinished, vi } from 'vitest';
import { aliveWorkers, type WorkerHeartbeat, writeHeartbeat } from '#shared/stores/heartbeat.ts';
import { timeOf } from '#shared/stores/redis-clock.ts';
import { test } from '#test/fixtures/stores.ts';

const chromium = { state: 'running', since: 0, prints: 0 } satisfies WorkerHeartbeat['chromium'];
const tells = { clockAheadMs: 0, dependencies: {}, labels: 0, templates: {}, chromium, capacity: null };
const worker = { host: 'maquina', pid: 1, startedAt: 0, ...tells };

test('a worker whose clock is behind is not lost among 200 that died since', async ({ stores }) => {
  const { redis, prefix } = stores;
  const at = await timeOf(redis);
  const dead = Array.from({ length: 200 }, (_, i) => `dead-${i}`);
  await Promise.all(dead.map((id) => writeHeartbeat(redis, prefix, { ...worker, id, at })));
  await redis.del(dead.map((id) => `${prefix}:worker:${id}`));
  const behind = vi.spyOn(Date, 'now').mockReturnValue(at - 120_000);
  onTestFinished(() => behind.mockRestore());
  await writeHeartbeat(redis, prefix, { ...worker, id: 'alive', at: at + 1 });
  expect((await aliveWorkers(redis, prefix)).map(({ id }) => id)).toEqual(['alive']);
});

test('a process that dies leaves nothing in Redis for longer than ten minutes', async ({ stores }) => {
  const { redis } = stores;
  const prefix = `${stores.prefix}:dies`;
  await writeHeartbeat(redis, prefix, { ...worker, id: 'dies', at: await timeOf(redis) });
  const keys = [':worker:dies', ':workers', ':worker:seen'].map((name) => prefix + name);
  const lives = await Promise.all(keys.map((key) => redis.ttl(key)));
  for (const life of lives) expect(life).toBeGreaterThan(0);
  expect(Math.max(...lives)).toBeLessThanOrEqual(600);
});
