import { Redis } from 'ioredis';
import { expect, vi } from 'vitest';
import { startRedis } from '#local/programs/redis.ts';
import { generateSecrets } from '#local/secrets.ts';
import { test } from '#test/fixtures/folder.ts';

/**
 * Redis loads its append-only file as the user `default`. Transactions and scripts stand there as MULTI and EXEC, whose
 * commands Redis checks against that user's rights: where `default` may do nothing, they are lost.
 */
test('what a service wrote in scripts is there after a restart of Redis', async ({ folder }) => {
  vi.stubEnv('REDIS_URL', '');
  const users = { prefix: '{guias}', passwords: generateSecrets().redis };
  const start = () => startRedis({ folder, durable: true, log: () => {}, users });
  const use = async <T>(work: (redis: Redis) => Promise<T>): Promise<T> => {
    const server = await start();
    const redis = new Redis(server.urls.api);
    try {
      return await work(redis);
    } finally {
      redis.disconnect();
      await server.close();
    }
  };
  await use(async (redis) => {
    await redis.set('{guias}:labels:plain', 'one');
    await redis.multi().set('{guias}:labels:multi', 'two').hset('{guias}:labels:hash', 'a', 1).exec();
    const script = "redis.call('SET', KEYS[1], 'three') redis.call('SET', KEYS[2], 'four')";
    await redis.eval(script, 2, '{guias}:labels:script', '{guias}:labels:other');
  });
  const found = await use((redis) =>
    redis.mget(['plain', 'multi', 'script', 'other'].map((name) => `{guias}:labels:${name}`)),
  );
  expect(found).toEqual(['one', 'two', 'three', 'four']);
});
