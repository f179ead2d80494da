import { afterEach, expect } from 'vitest';
import { ApiClient } from '#test/bench/load/api-client.ts';
import { floodAsCustomer } from '#test/bench/load/greedy-client.ts';
import { inParallel } from '#test/bench/load/load.ts';
import { type Memory, peaksDuring } from './memory.ts';
import { test } from './project.ts';

/** The memory of each container against its limit in docker-compose.yml, while customers ask for labels. */

/** The share of a limit that no load may exceed. */
const MOST = 0.8;

function expectRoom(peaks: Map<string, Memory>, load: string): void {
  const lines = [...peaks].map(
    ([service, { peakMiB, limitMiB }]) => `${service} ${peakMiB.toFixed(0)} of ${limitMiB}`,
  );
  process.stdout.write(`Peaks in MiB, ${load}: ${lines.sort().join(', ')}\n`);
  expect([...peaks.keys()]).toEqual(expect.arrayContaining(['api', 'label-worker', 'redis', 'mongo']));
  for (const [service, { peakMiB, limitMiB }] of peaks) {
    expect(peakMiB / limitMiB, service).toBeLessThan(MOST);
  }
}

test.for([16, 64])('at %i concurrent labels', async (concurrency, { project, url }) => {
  const api = await ApiClient.login(url);
  const guides = await api.newGuides(concurrency * 50);
  const peaks = await peaksDuring(project, async () => {
    const { refusals } = await inParallel(guides, concurrency, (guide) => api.label(guide));
    expect([...new Set(refusals.map(({ status }) => status))].filter((status) => status !== 503)).toEqual([]);
  });
  await api.close();
  expectRoom(peaks, `at ${concurrency} concurrent`);
});

test.for(['labels', 'guides', 'logins'] as const)('under a flood of %s', async (kind, { project, url }) => {
  const flood = { url, kind, connections: 150, seconds: 20 };
  const peaks = await peaksDuring(project, async () => (await floodAsCustomer(flood)).ended);
  expectRoom(peaks, `under a flood of ${kind}`);
});

afterEach<{ project: import('./compose-project.ts').ComposeProject }>(async ({ project }) => {
  for (const container of await project.containers()) {
    const state = await project.inspect(container, '{{.State.OOMKilled}} {{.RestartCount}}');
    expect([container.service, state]).toEqual([container.service, 'false 0']);
  }
});
