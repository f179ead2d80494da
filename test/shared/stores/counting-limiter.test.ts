import { expect } from 'vitest';
import { countingLimiter } from '#shared/stores/counting-limiter.ts';
import { createRedisClient, type RedisClient } from '#shared/stores/redis-client.ts';
import { test as storesTest } from '#test/fixtures/stores.ts';

const POINTS = 3;
const test = storesTest.extend('limiter', ({ stores }, { onCleanup }) => {
  const clients: RedisClient[] = [];
  onCleanup(() => {
    for (const client of clients) client.disconnect();
  });
  return (url = stores.redisUrl) => {
    const redis = createRedisClient(url, 'fails-fast');
    redis.on('error', () => {});
    clients.push(redis);
    return { redis, limiter: countingLimiter(redis, `${stores.prefix}:tried`, POINTS, 60) };
  };
});
type Limiter = ReturnType<typeof countingLimiter>;
const outcomes = async (...limiters: Limiter[]) => {
  const taken: boolean[] = [];
  for (const limiter of limiters)
    taken.push(
      await limiter.consume('somebody').then(
        () => true,
        () => false,
      ),
    );
  return taken;
};

test('all processes count together, and each for itself while Redis is away', async ({ limiter }) => {
  const [one, other] = [limiter(), limiter()];
  await Promise.all([one, other].map(({ redis }) => redis.status === 'ready' || once(redis)));
  expect(await outcomes(one.limiter, other.limiter, one.limiter, other.limiter)).toEqual([
    ...[true, true, true, false],
  ]);
  const away = limiter('redis://127.0.0.1:1').limiter;
  expect(await outcomes(away, away, away, away)).toEqual([true, true, true, false]);
});

const once = (redis: RedisClient) => new Promise((ready) => redis.once('ready', ready));
