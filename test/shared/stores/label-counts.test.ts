import { expect } from 'vitest';
import { LabelCounts, readLabelCounts } from '#shared/stores/label-counts.ts';
import { test } from '#test/fixtures/stores.ts';

test('labels are counted by the minute, in all processes together', async ({ stores }) => {
  const { redis, prefix } = stores;
  const processes = [new LabelCounts(redis, prefix), new LabelCounts(redis, prefix)];
  for (const counts of processes) {
    counts.count('printed');
    counts.count('refused');
  }
  processes[0]?.count('failed');
  for (const counts of processes) await counts.write();
  const minutes = await readLabelCounts(redis, prefix);
  expect(minutes).toHaveLength(120);
  // Where a minute began meanwhile, the counts are in the one before.
  const counted = minutes.filter(({ printed }) => printed > 0);
  expect(counted).toMatchObject([{ printed: 2, failed: 1, refused: 2 }]);
  expect(Date.now() - (counted[0]?.at ?? 0)).toBeLessThan(120_000);
  const [key = ''] = await redis.keys(`${prefix}:label-count:failed:*`);
  expect(await redis.ttl(key)).toBeGreaterThan(7_100);
});

test('counts are written by themselves, and wait while Redis is away', async ({ stores }) => {
  const { redis, prefix } = stores;
  const away = redis.duplicate();
  away.disconnect();
  const counts = new LabelCounts(away, `${prefix}:away`);
  counts.count('printed');
  await counts.write();
  counts.count('printed');
  await away.connect();
  const printed = async () =>
    (await readLabelCounts(redis, `${prefix}:away`)).reduce((sum, minute) => sum + minute.printed, 0);
  await expect.poll(printed, { timeout: 5_000 }).toBe(2);
  away.disconnect();
});
