import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { describe, expect, vi } from 'vitest';
import { startRedis } from '#local/programs/redis.ts';
import type { BranchCache } from '#services/branches/branch-cache.ts';
import { stampOf } from '#services/branches/branch-cache.ts';
import { BranchLookup } from '#services/branches/branch-lookup.ts';
import type { ResolveResponse } from '#shared/branches/branch.ts';
import { BranchStore } from '#shared/branches/branch-store.ts';
import { call } from '#test/fixtures/client.ts';
import { passTime } from '#test/fixtures/pass-time.ts';
import { INTERNAL_TOKEN, test as services } from '#test/fixtures/services.ts';
import { Part } from '../faults/system/part.ts';
import { redisAnswers } from '../faults/system/servers.ts';

/** A branches service whose Redis is the test's own, which may be full, or gone. */
const test = services
  .extend('ownRedis', { scope: 'file' }, async ({ folder }, { onCleanup }) => {
    const options = { folder: join(folder, 'own'), durable: false, log: () => {} };
    const { url, processes } = await startRedis(options);
    const part = new Part(processes, () => redisAnswers(url));
    onCleanup(() => part.end());
    return { url, part };
  })
  .extend('redis', { scope: 'file' }, async ({ ownRedis }, { onCleanup }) => {
    const redis = new Redis(ownRedis.url);
    redis.on('error', () => {}); // away while it is killed
    onCleanup(() => redis.disconnect());
    return redis;
  })
  .extend('service', { scope: 'file' }, ({ startBranches, ownRedis }) =>
    startBranches({ REDIS_URL: ownRedis.url }),
  )
  .extend('store', { scope: 'file' }, ({ stores }) => new BranchStore(stores.mongo))
  /** Returns whether the cache has the version that is in force in the database. */
  .extend('inStep', { scope: 'file' }, ({ redis, stores, store }) => async () => {
    const stamp = await redis.hget(`${stores.prefix}:branches`, 'version:rows');
    return stamp === stampOf(await store.directory());
  });

const headers = { 'content-type': 'application/json', 'x-internal-token': INTERNAL_TOKEN };

/** Returns the codes of the branches that cover the postal codes, as a service says. */
async function coverageOf(url: string, postalCodes: readonly string[]): Promise<(string | undefined)[]> {
  const destinations = postalCodes.map((postalCode) => ({ postalCode }));
  const body = JSON.stringify({ origins: [], destinations });
  const answer = await call(`${url}/internal/resolve`, { method: 'POST', headers, body });
  expect(answer.status).toBe(200);
  return (answer.body as unknown as ResolveResponse).destinations.map((branch) => branch?.Codigo);
}

function codesFrom(first: number, count: number): string[] {
  return Array.from({ length: count }, (_, index) => String(first + index));
}

const VISIBLE = { timeout: 30_000, interval: 50 };

describe('a Redis that fills up while the cache is rebuilt', () => {
  test('keeps the former cache until it has room', async ({ service, redis, stores, store, inStep }) => {
    await vi.waitFor(async () => expect(await inStep()).toBe(true), VISIBLE);
    const key = `${stores.prefix}:branches`;
    const former = await redis.hgetall(key);
    const used = Number(/used_memory:(\d+)/.exec(await redis.info('memory'))?.[1]);
    await redis.config('SET', 'maxmemory', String(used + 5 * 2 ** 20));

    const codes = codesFrom(10_000, 30_000);
    await store.loadCoverage(codes.map((postalCode) => ({ postalCode, code: 'MTY01' })));
    const refused = async () => Number((await redis.info('stats')).match(/rejected_calls=(\d+)/)?.[1] ?? 0);
    const oom = async () =>
      Number(/errorstat_OOM:count=(\d+)/.exec(await redis.info('errorstats'))?.[1] ?? 0);
    await vi.waitFor(async () => expect((await oom()) + (await refused())).toBeGreaterThan(0), VISIBLE);
    const all = codesFrom(10_000, 30_000);
    for (let at = 0; at < all.length; at += 5_000) {
      const asked = all.slice(at, at + 500);
      expect(await coverageOf(service.url, asked)).toEqual(asked.map(() => 'MTY01'));
    }
    expect(await redis.hgetall(key)).toEqual(former);

    await redis.config('SET', 'maxmemory', '0');
    await vi.waitFor(async () => expect(await inStep()).toBe(true), VISIBLE);
    const cached = await redis.hkeys(key);
    expect(cached.filter((field) => field.startsWith('cp:'))).toHaveLength(30_000);
    // What the attempts left behind is gone: nothing but the cache and the check of writing is there.
    expect(await redis.keys(`${key}:*`)).toEqual([]);
  });
});

test('a cache that cannot be written is rebuilt every five seconds alone', async ({ onTestFinished }) => {
  const calls = { compared: 0, snapshots: 0 };
  const store = {
    version: async () => 'new',
    directory: async () => ({ version: 'new' }),
    async wholeSnapshot() {
      calls.snapshots++;
      return { version: 'new', branches: [], coverage: [] };
    },
  };
  const cache = {
    async stamp() {
      calls.compared++;
      return 'old';
    },
    async replace() {
      throw new Error('OOM command not allowed');
    },
  };
  const lookup = new BranchLookup({
    store: store as unknown as BranchStore,
    cache: cache as unknown as BranchCache,
    log: pino({ level: 'silent' }),
    metrics: new Registry(),
  });
  onTestFinished(() => lookup.close());
  await lookup.open();
  await expect.poll(() => calls.compared).toBeGreaterThanOrEqual(4);
  expect(calls.snapshots).toBe(1);
  passTime(5_000);
  await expect.poll(() => calls.snapshots).toBe(2);
});

test('a listing and the coverage that the database answers at once are each their own', async ({
  onTestFinished,
}) => {
  const told = Promise.withResolvers<[]>();
  const store = {
    version: async () => 'new',
    directory: async () => ({ version: 'new' }),
    active: () => told.promise,
    wholeSnapshot: async () => ({ version: 'new', branches: await told.promise, coverage: [] }),
  };
  const away = () => Promise.reject(new Error('Connection is closed'));
  const lookup = new BranchLookup({
    store: store as unknown as BranchStore,
    cache: { stamp: away, active: away, coverage: away } as unknown as BranchCache,
    log: pino({ level: 'silent' }),
    metrics: new Registry(),
  });
  onTestFinished(() => lookup.close());
  await lookup.open();
  const answers = Promise.all([lookup.active(), lookup.coverage()]);
  await setImmediate(); // both wait for the database
  told.resolve([]);
  expect(await answers).toEqual(['[]', '{"version":"new","ranges":[]}']);
});

describe('while Redis is gone', () => {
  test('lookups and listings go on, also after a new load', async ({ service, ownRedis, store }) => {
    await ownRedis.part.kill();
    await store.loadCoverage([{ postalCode: '11111', code: 'GDL01' }]);
    await vi.waitFor(
      async () => expect(await coverageOf(service.url, ['11111', '64000'])).toEqual(['GDL01', undefined]),
      VISIBLE,
    );
    const listing = await call(`${service.url}/internal/branches`, { headers });
    const codes = (listing.body as unknown as { Codigo: string }[]).map(({ Codigo }) => Codigo);
    expect(codes).toEqual(['GDL01', 'MEX01', 'MTY01', 'PUE01', 'TIJ01']);
    expect((await call(`${service.url}/health/ready`)).status).toBe(200);
  });

  test('a service that starts gets ready', async ({ startBranches, ownRedis }) => {
    const started = await startBranches({ REDIS_URL: ownRedis.url });
    expect((await call(`${started.url}/health/ready`)).status).toBe(200);
    expect(await coverageOf(started.url, ['11111'])).toEqual(['GDL01']);
  });

  test('is over, the cache is filled and in step again', async ({ ownRedis, inStep }) => {
    await ownRedis.part.start();
    await vi.waitFor(async () => expect(await inStep()).toBe(true), VISIBLE);
  });
});
