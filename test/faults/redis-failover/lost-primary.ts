import { expect, onTestFinished } from 'vitest';
import { call } from '#test/fixtures/client.ts';
import { scrape } from '#test/fixtures/telemetry/metrics.ts';
import { underLoad } from '../clients/under-load.ts';
import type { Part } from '../system/part.ts';
import { type FaultSystem, pidsOf } from '../system/system.ts';

/**
 * Takes the primary of Redis away for good, under load, and expects that the services follow the one that is elected, as
 * they run. Meanwhile health and metrics say that Redis is away, and clients get 503; a label that was being printed may fail.
 *
 * @param lose does so.
 */
export async function expectFollowed(
  system: FaultSystem,
  fault: string,
  lose: (primary: Part) => Promise<void>,
): Promise<void> {
  const before = pidsOf(system);
  const health = async () => (await call(`${system.url}/health/ready`)).body;
  const metric = async () => (await scrape(system.url)).get('dependency_up{dependency="redis"}');
  const expectSaid = (up: number, state: object) =>
    Promise.all([expect.poll(metric).toBe(up), expect.poll(health).toMatchObject(state)]);
  await underLoad(system, fault, [500, 503], async (load) => {
    const from = performance.now();
    await lose(system.redis.part as Part);
    await expectSaid(0, { status: 'degraded', redis: 'down' });
    await load.waitForStatus('label', 200, 1);
    await expectSaid(1, { redis: 'ok' });
    return { from };
  });
  expect(pidsOf(system)).toEqual(before);
  expect(await system.redis.refusals?.()).toEqual([]);
}

/** Stops a process as when its machine loses its power: its connections stay open, and nobody answers. */
export async function silence({ pid }: Part): Promise<void> {
  process.kill(pid, 'SIGSTOP');
  onTestFinished(() => void process.kill(pid, 'SIGCONT')); // so that it can be ended
}
