import { expect, onTestFinished } from 'vitest';
import { call } from '#test/fixtures/client.ts';
import { scrape } from '#test/fixtures/telemetry/metrics.ts';
import { underLoad } from '../clients/under-load.ts';
import type { Part } from '../system/part.ts';
import { test as faultTest, pidsOf } from '../system/system.ts';

const test = faultTest.extend('wanted', { redis: 'sentinel' });

/**
 * Meanwhile health and metrics say that Redis is away, and clients get 503; a label that was being printed may fail. A
 * silent primary is as a machine that loses its power: its connections stay open.
 */
test('when the primary falls silent, the services follow the elected one', async ({ system }) => {
  const before = pidsOf(system);
  const health = async () => (await call(`${system.url}/health/ready`)).body;
  const metric = async () => (await scrape(system.url)).get('dependency_up{dependency="redis"}');
  const expectSaid = (up: number, state: object) =>
    Promise.all([expect.poll(metric).toBe(up), expect.poll(health).toMatchObject(state)]);
  await underLoad(system, 'the primary of three sentinels falls silent', [500, 503], async (load) => {
    const from = performance.now();
    const { pid } = system.redis.part as Part;
    process.kill(pid, 'SIGSTOP');
    onTestFinished(() => void process.kill(pid, 'SIGCONT')); // so that it can be ended
    await expectSaid(0, { status: 'degraded', redis: 'down' });
    await load.waitForStatus('label', 200, 1);
    await expectSaid(1, { redis: 'ok' });
    return { from };
  });
  expect(pidsOf(system)).toEqual(before);
  expect(await system.redis.refusals?.()).toEqual([]);
});
