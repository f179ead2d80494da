import { setTimeout as sleep } from 'node:timers/promises';
import { expect, inject, test } from 'vitest';
import { ApiClient } from '#test/bench/load/api-client.ts';
import { inParallel } from '#test/bench/load/load.ts';
import { Kubectl } from './kubectl.ts';

/** The memory of each container against its limit, as the node itself counts it, while customers ask for labels. */

const kubectl = new Kubectl('guias');
/** The share of a limit that no load may exceed. */
const MOST = 0.8;
const MIB = 2 ** 20;
const UNITS: Record<string, number> = { Mi: 1, Gi: 2 ** 10 };

type Summary = {
  pods: {
    podRef: { name: string; namespace: string };
    containers?: { name: string; memory?: { workingSetBytes?: number } }[];
  }[];
};

test.for([16, 64])('at %i concurrent labels no container exceeds 80 % of its limit', async (concurrency) => {
  const api = new ApiClient(inject('url'), inject('token'));
  const guides = await api.newGuides(concurrency * 50);
  const peaks = await peaksDuring(async () => {
    const { refusals } = await inParallel(guides, concurrency, (guide) => api.label(guide));
    expect([...new Set(refusals.map(({ status }) => status))].filter((status) => status !== 503)).toEqual([]);
  });
  await api.close();
  const limits = await limitsMiB();
  const lines = [...peaks].map(([name, peak]) => `${name} ${peak.toFixed(0)} of ${limits.get(name)}`);
  process.stdout.write(`Peaks in MiB, at ${concurrency} concurrent: ${lines.sort().join(', ')}\n`);
  expect([...peaks.keys()]).toEqual(
    expect.arrayContaining(['api', 'branches', 'label-worker', 'redis', 'mongo']),
  );
  for (const [name, peak] of peaks) expect(peak / (limits.get(name) ?? 0), name).toBeLessThan(MOST);
});

/** Runs `work`, and returns the largest working set of any container of each name meanwhile, in MiB. */
async function peaksDuring(work: () => Promise<unknown>): Promise<Map<string, number>> {
  const peaks = new Map<string, number>();
  const done = new AbortController();
  const read = async () => {
    for (const [name, used] of await workingSetsMiB()) peaks.set(name, Math.max(used, peaks.get(name) ?? 0));
  };
  const watch = async () => {
    while (!done.signal.aborted) {
      await read();
      await sleep(1_000);
    }
  };
  await Promise.all([watch(), work().finally(() => done.abort())]);
  await sleep(15_000); // kubelet measures every ten seconds or so
  await read();
  return peaks;
}

async function workingSetsMiB(): Promise<[string, number][]> {
  const nodes = (await kubectl.run('get', 'nodes', '--output', 'name')).split('\n');
  const summaries = await Promise.all(
    nodes.map((node) =>
      kubectl.run('get', '--raw', `/api/v1/nodes/${node.slice('node/'.length)}/proxy/stats/summary`),
    ),
  );
  return summaries
    .flatMap((summary) => (JSON.parse(summary) as Summary).pods)
    .filter(({ podRef }) => podRef.namespace === 'guias')
    .flatMap(({ containers = [] }) => containers)
    .map(({ name, memory }) => [name, (memory?.workingSetBytes ?? 0) / MIB]);
}

async function limitsMiB(): Promise<Map<string, number>> {
  const containers = (await kubectl.pods()).flatMap(({ spec }) => spec.containers);
  return new Map(
    containers.map(({ name, resources }) => {
      const [, count, unit = ''] = /^(\d+)(\w+)$/.exec(resources.limits?.memory ?? '') ?? [];
      return [name, Number(count) * (UNITS[unit] ?? Number.NaN)];
    }),
  );
}
