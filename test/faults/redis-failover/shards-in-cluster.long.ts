import { expect } from 'vitest';
import { scrape } from '#test/fixtures/telemetry/metrics.ts';
import { test as faultTest } from '../system/system.ts';
import { expectFollowed } from './lost-primary.ts';

const test = faultTest.override('wanted', { redis: 'cluster', shards: 3 });

test('labels of three shards in one Redis Cluster: when the master of a shard is killed, its replica takes over', async ({
  system,
}) => {
  await expectFollowed(system, 'kill -9 of a master in a Redis Cluster of three shards', (master) =>
    master.kill(),
  );
  const series = await Promise.all(system.workers.map(({ url }) => scrape(url)));
  const printed = series.map((values) => values.get('labels_printed_total') ?? 0);
  expect(printed).toHaveLength(3);
  expect(Math.min(...printed)).toBeGreaterThan(0);
});
