import { expect } from 'vitest';
import { scrape } from '#test/fixtures/telemetry/metrics.ts';
import { underLoad } from '../clients/under-load.ts';
import { test as faultTest, pidsOf } from '../system/system.ts';

const test = faultTest.override('wanted', { redis: 'sentinel' });

test('when the primary is killed, its sentinels elect another, and the services follow', async ({
  system,
}) => {
  const before = pidsOf(system);
  const isUp = async () => (await scrape(system.url)).get('dependency_up{dependency="redis"}');
  await underLoad(system, 'kill -9 of the primary of three sentinels', [500, 503], async (load) => {
    const from = performance.now();
    await system.redis.part?.kill();
    await load.waitForStatus('create', 503, 5);
    expect(await isUp()).toBe(0);
    await load.waitForStatus('label', 200, 1);
    expect(await isUp()).toBe(1);
    return { from };
  });
  expect(pidsOf(system)).toEqual(before);
});
