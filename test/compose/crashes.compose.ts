import { expect } from 'vitest';
import { ApiClient } from '#test/bench/load/api-client.ts';
import { inParallel } from '#test/bench/load/load.ts';
import { Load } from '#test/faults/clients/load.ts';
import { test } from './project.ts';

/**
 * Each container is killed while customers create guides and ask for labels. The engine restarts it; customers get 200
 * or a 503 that says when to try again, and nothing that was acknowledged is lost.
 */

/** Answers that are right at any time; 400 is the one to a postal code without coverage. */
const ALWAYS: unknown[] = [200, 400, 503];
/** While a label's worker is away, its label may fail; while the only api is away, nobody answers. */
const ALSO: Record<string, unknown[]> = { 'label-worker': [500], api: ['refused', 'cut'] };

test.for(['label-worker', 'branches', 'api', 'redis', 'mongo', 'dashboard', 'prometheus'])(
  '%s is killed under load, and everything goes on',
  async (service, { project, url }) => {
    const [container] = await project.containers(service);
    if (!container) throw new Error(`${service} does not run`);
    const load = await Load.start(url, 8);
    await load.waitForStatus('label', 200, 20);
    const killed = performance.now();
    await project.crash(container);
    await expect.poll(() => project.restarts(container)).toBe(1);
    await load.waitForStatus('create', 200, 20);
    await load.waitForStatus('label', 200, 20);
    await load.stop();
    await expect.poll(() => project.inspect(container, '{{.State.Health.Status}}')).toBe('healthy');

    report(service, load, killed);
    expect([...new Set(load.answers.flatMap(({ wrong }) => wrong ?? []))]).toEqual([]);
    const right = [...ALWAYS, ...(ALSO[service] ?? [])];
    const others = load.answers.map(({ status }) => status).filter((status) => !right.includes(status));
    expect([...new Set(others)]).toEqual([]);
    await expectKept(url, load);
  },
);

/** Prints the answers by status, and the longest time without a created guide or a label. */
function report(service: string, load: Load, since: number): void {
  const counts = Object.entries(Object.groupBy(load.answers, ({ status }) => String(status)))
    .map(([status, answers]) => `${answers?.length} × ${status}`)
    .join(', ');
  const ends = load.answers
    .filter(({ status, until }) => status === 200 && until > since)
    .map(({ until }) => until)
    .sort((one, other) => one - other);
  const pause = Math.max(...ends.map((end, i) => end - (ends[i - 1] ?? since)));
  process.stdout.write(
    `${service} killed: ${counts}; at most ${(pause / 1_000).toFixed(1)} s without a 200\n`,
  );
}

/** Expects a label of each guide that was acknowledged. */
async function expectKept(url: string, load: Load): Promise<void> {
  const numbers = [...load.acknowledged.values()].flatMap((given) => [...given]);
  expect(numbers.length).toBeGreaterThan(20);
  const api = await ApiClient.login(url);
  const labels = await inParallel(numbers, 8, (number) => api.label(number));
  await api.close();
  expect(labels.refusals).toEqual([]);
}
