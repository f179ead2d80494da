import { expect } from 'vitest';
import { ApiClient } from '#test/bench/load/api-client.ts';
import { Load } from '#test/faults/clients/load.ts';
import { describeOutcome, expectKept, expectRight } from '#test/faults/clients/load-outcome.ts';
import { test } from './project.ts';

/**
 * Each container is killed while customers create guides and ask for labels. The engine restarts it; customers get 200
 * or a 503 that says when to try again, and nothing that was acknowledged is lost.
 */

/** Answers that are right at any time; 400 is the one to a postal code without coverage. */
const ALWAYS: unknown[] = [200, 400, 503];
/** While a label's worker is away, its label may fail; while the only api is away, nobody answers. */
const ALSO: Record<string, unknown[]> = { 'label-worker': [500], api: ['refused', 'cut'] };

test.for([
  'label-worker',
  'branches',
  'api',
  'redis',
  'mongo',
  'dashboard',
  'webhooks',
  'canary',
  'prometheus',
])('%s is killed under load, and everything goes on', async (service, { project, url }) => {
  const [container] = await project.containers(service);
  if (!container) throw new Error(`${service} does not run`);
  const load = await Load.start(url);
  await load.waitForStatus('label', 200, 20);
  const killed = performance.now();
  await project.crash(container);
  await expect.poll(() => project.restarts(container)).toBe(1);
  await load.waitForStatus('create', 200, 20);
  await load.waitForStatus('label', 200, 20);
  await load.stop();
  await expect.poll(() => project.inspect(container, '{{.State.Health.Status}}')).toBe('healthy');

  process.stdout.write(`${service} killed: ${describeOutcome(load, killed)}\n`);
  expectRight(load, [...ALWAYS, ...(ALSO[service] ?? [])]);
  await expectKept(await ApiClient.login(url), load);
});
