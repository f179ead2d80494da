import { Redis } from 'ioredis';
import { expect, inject, onTestFinished, test, vi } from 'vitest';
import { RedisClock } from '#shared/stores/redis-clock.ts';

/** Tolerance in ms: far from the two minutes, and more than the slowest machine stalls. */
const NEAR_MS = 20_000;

test.for([
  ['ahead', 120_000],
  ['behind', -120_000],
] as const)(
  'a process whose clock is two minutes %s has the time of Redis, from the start on',
  async ([, offMs]) => {
    const redis = new Redis(inject('redisUrl'));
    onTestFinished(() => redis.disconnect());
    const now = Date.now.bind(Date);
    const own = vi.spyOn(Date, 'now').mockImplementation(() => now() + offMs);
    onTestFinished(() => own.mockRestore());
    const clock = new RedisClock(redis);
    onTestFinished(() => clock.stop());
    expect(Math.abs(clock.now() - now() - offMs)).toBeLessThan(NEAR_MS); // its own, until Redis was asked
    await clock.start();
    expect(Math.abs(clock.now() - now())).toBeLessThan(NEAR_MS);
    expect(Number.isInteger(clock.now())).toBe(true);
  },
);

test('another primary brings its own time, which is measured again every second', async () => {
  const answers = [
    ['1000', '500000'],
    ['2000', '0'],
  ];
  const time = vi.fn(async () => (answers.length > 1 ? answers.shift() : answers[0]) as string[]);
  const clock = new RedisClock({ time } as unknown as Redis);
  onTestFinished(() => clock.stop());
  await clock.start();
  expect(clock.now()).toBeLessThan(1_500_000);
  await expect.poll(() => clock.now()).toBeGreaterThanOrEqual(2_000_000);
});
