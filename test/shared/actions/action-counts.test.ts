import { Redis } from 'ioredis';
import { expect, onTestFinished, vi } from 'vitest';
import { ActionCounts, readActionSums, readLabelCounts } from '#shared/actions/action-counts.ts';
import { createLogger } from '#shared/observability/logger.ts';
import { RedisClock } from '#shared/stores/redis-clock.ts';
import { test } from '#test/fixtures/stores.ts';

const LOG = createLogger('test', 'silent');

test('labels are counted by the minute, in all processes together', async ({ stores }) => {
  const { redis, prefix } = stores;
  const processes = [new ActionCounts(redis, prefix, Date, LOG), new ActionCounts(redis, prefix, Date, LOG)];
  for (const counts of processes) {
    counts.countLabel('printed');
    counts.count('print', 'refused');
  }
  processes[0]?.count('print', 'failed');
  for (const counts of processes) await counts.write();
  const minutes = await readLabelCounts(redis, prefix, Date.now());
  expect(minutes).toHaveLength(120);
  // Where a minute began meanwhile, the counts are in the one before.
  const counted = minutes.filter(({ printed }) => printed > 0);
  expect(counted).toMatchObject([{ printed: 2, failed: 1, refused: 2 }]);
  expect(Date.now() - (counted[0]?.at ?? 0)).toBeLessThan(120_000);
  const [key = ''] = await redis.keys(`${prefix}:label-count:failed:*`);
  expect(await redis.ttl(key)).toBeGreaterThan(7_100);
});

test('counts of a process whose clock is ahead are in the minutes of Redis', async ({ stores }) => {
  const { redis, prefix } = stores;
  const now = Date.now.bind(Date);
  const clocks = vi.spyOn(Date, 'now').mockImplementation(() => now() + 180_000);
  onTestFinished(() => clocks.mockRestore());
  const clock = new RedisClock(redis);
  await clock.start();
  onTestFinished(() => clock.stop());
  const counts = new ActionCounts(redis, `${prefix}:ahead`, clock, LOG);
  counts.count('print', 'refused');
  await counts.write();
  clocks.mockImplementation(() => now() - 3_600_000); // the reader's clock is behind
  const minutes = await readLabelCounts(redis, `${prefix}:ahead`, clock.now());
  expect(minutes.slice(-2).map(({ refused }) => refused)).toContain(1);
});

test.for(['api', 'label-worker', 'webhooks'] as const)(
  'the user of %s may write its counts',
  async (service, { stores }) => {
    const redis = new Redis(stores.redisUrls[service]);
    onTestFinished(() => redis.disconnect());
    const prefix = `${stores.prefix.slice(0, -1)}-${service}}`;
    const counts = new ActionCounts(redis, prefix, Date, LOG);
    counts.count('webhook', 'failed');
    await counts.write();
    expect(await readActionSums(stores.redis, prefix, Date.now(), ['webhook'])).toMatchObject({
      webhook: { notOk: 1 },
    });
  },
);

test('a refusal is logged once, and what was counted meanwhile is written at last', async ({ stores }) => {
  const { prefix } = stores;
  const redis = new Redis(stores.redisUrls.branches);
  onTestFinished(() => redis.disconnect());
  const log = { info: vi.fn(), warn: vi.fn() };
  const counts = new ActionCounts(redis, prefix, Date, log);
  for (const _ of ['first', 'second']) {
    counts.count('webhook', 'failed');
    await counts.write();
  }
  expect(log.warn.mock.calls).toEqual([[expect.anything(), expect.stringContaining('NOPERM')]]);
  const user = new URL(stores.redisUrls.branches).username;
  await stores.redis.acl('SETUSER', user, `~${prefix}:label-count:*`);
  await counts.write();
  expect(await readActionSums(stores.redis, prefix, Date.now(), ['webhook'])).toMatchObject({
    webhook: { notOk: 2 },
  });
  expect(log.info).toHaveBeenCalledOnce();
});
