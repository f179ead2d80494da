import { Registry } from 'prom-client';
import { expect, vi } from 'vitest';
import { BranchCache } from '#services/branches/cache/branch-cache.ts';
import { BranchStore } from '#services/branches/store/branch-store.ts';
import { createLogger } from '#shared/observability/logger.ts';
import { test } from '#test/fixtures/stores.ts';

test('a rebuild that outlives its lock does not delete the lock of the next process', async ({ stores }) => {
  const lock = `${stores.prefix}:branches-rebuild`;
  const redis = stores.redis.duplicate();
  const send = redis.sendCommand.bind(redis);
  // The lock expires and another process takes it at the last moment: when its deletion is on the way to Redis.
  vi.spyOn(redis, 'sendCommand').mockImplementation((command) => {
    if (['del', 'eval', 'evalsha'].includes(command.name)) {
      stores.redis.set(lock, 'of another process', 'PX', 60_000).then(() => send(command));
      return command.promise;
    }
    return send(command);
  });
  const store = new BranchStore(stores.mongo);
  const cache = new BranchCache(redis, stores.prefix, store, createLogger('test', 'silent'), new Registry());
  await cache.open();
  cache.close();
  expect(JSON.parse(await cache.active())).toHaveLength(5);
  expect(await stores.redis.get(lock)).toBe('of another process');
  redis.disconnect();
});
