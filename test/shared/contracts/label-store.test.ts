import { Redis } from 'ioredis';
import { expect, vi } from 'vitest';
import { provideRedis } from '#local/programs/redis.ts';
import { labelBudget } from '#services/label-worker/queue/label-budget.ts';
import { labelReader, labelWriter, readLabelBytes } from '#shared/contracts/label-store.ts';
import { test as folderTest } from '#test/fixtures/folder.ts';
import { test as storesTest } from '#test/fixtures/stores.ts';

const KB = 1_000;
const pdf = (bytes: number) => Buffer.alloc(bytes, 'x');

const test = storesTest.extend('store', { scope: 'test' }, ({ stores }) => {
  const prefix = stores.prefix.replace('}', `-${Math.random().toString(36).slice(2)}}`);
  const budget = { bytes: 200 * KB };
  const writer = labelWriter(stores.redis, prefix, { ttlS: 3_600, budget: () => budget.bytes });
  const { read } = labelReader(stores.redis, prefix);
  const kept = async (...keys: string[]) => {
    const found = await Promise.all(keys.map(read));
    return keys.filter((_, i) => found[i] !== null).join('');
  };
  return { ...writer, budget, read, kept, bytes: () => readLabelBytes(stores.redis, prefix), prefix };
});

test('labels are kept up to a budget in bytes: room is made before one is written', async ({ store }) => {
  for (const key of ['a', 'b', 'c']) await store.store(key, pdf(60 * KB));
  expect([await store.kept('a', 'b', 'c'), await store.bytes()]).toEqual(['abc', 180 * KB]);
  await store.store('d', pdf(90 * KB));
  expect([await store.kept('a', 'b', 'c', 'd'), await store.bytes()]).toEqual(['cd', 150 * KB]);
});

test('a large label goes before small ones, and is there for its answer', async ({ store, stores }) => {
  await store.store('a', pdf(50 * KB));
  await store.store('B', pdf(101 * KB));
  expect(await stores.redis.ttl(`${store.prefix}:label:B`)).toBeLessThanOrEqual(60);
  await store.store('c', pdf(60 * KB));
  expect([await store.kept('a', 'B', 'c'), await store.bytes()]).toEqual(['ac', 110 * KB]);
  await store.store('D', pdf(120 * KB));
  expect((await store.read('D'))?.length).toBe(120 * KB);
});

test('a label that is stored again counts once', async ({ store }) => {
  for (let time = 0; time < 3; time++) await store.store('a', pdf(40 * KB));
  expect(await store.bytes()).toBe(40 * KB);
});

test('a smaller budget holds at once when it is applied', async ({ store }) => {
  for (const key of ['a', 'b', 'c']) await store.store(key, pdf(60 * KB));
  store.budget.bytes = 70 * KB;
  await store.trim();
  expect([await store.kept('a', 'b', 'c'), await store.bytes()]).toEqual(['c', 60 * KB]);
});

/** A Redis of our own, with little memory. */
const small = folderTest.extend('redis', { scope: 'file' }, async ({ folder }, { onCleanup }) => {
  vi.stubEnv('REDIS_URL', '');
  const server = await provideRedis({ folder, durable: false, log: () => {} });
  const redis = new Redis(server.url);
  onCleanup(async () => {
    redis.disconnect();
    await server.close();
    vi.unstubAllEnvs();
  });
  return redis;
});

small('labels never fill Redis, however many are stored', async ({ redis }) => {
  await redis.config('SET', 'maxmemory', '32mb');
  const budget = labelBudget({ redis, prefix: '{t}', shards: 1 }, 256 * 2 ** 20, {
    info: () => {},
    warn: () => {},
  });
  await budget.read();
  expect(budget.bytes()).toBe(16 * 2 ** 20);
  const { store } = labelWriter(redis, '{t}', { ttlS: 3_600, budget: budget.bytes });
  let most = 0;
  for (let i = 0; i < 300; i++) {
    await store(`label-${i}`, pdf((i % 2 ? 275 : 35) * KB));
    most = Math.max(most, Number(/used_memory:(\d+)/.exec(await redis.info('memory'))?.[1]));
  }
  expect(most).toBeLessThan(0.8 * 32 * 2 ** 20);
});

small('a full Redis still takes labels in the place of others', async ({ redis }) => {
  await redis.flushall();
  const { store } = labelWriter(redis, '{t}', { ttlS: 3_600, budget: () => 4e6 });
  for (let i = 0; i < 40; i++) await store(`label-${i}`, pdf(90 * KB));
  const used = Number(/used_memory:(\d+)/.exec(await redis.info('memory'))?.[1]);
  await redis.config('SET', 'maxmemory', String(used - 500_000));
  await expect(redis.set('counter', '1')).rejects.toThrow(/^OOM /);
  // The budget is what it was; the next label must find room all the same once the limit is known.
  const after = labelWriter(redis, '{t}', { ttlS: 3_600, budget: () => 2e6 });
  await after.store('next', pdf(90 * KB));
  expect((await labelReader(redis, '{t}').read('next'))?.length).toBe(90 * KB);
  expect(await redis.set('counter', '1')).toBe('OK');
});
