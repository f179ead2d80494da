import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { test as base, expect } from 'vitest';
import { makeTemporaryFolder, repoRoot } from '#local/folders.ts';
import { freePort } from '#local/process/free-port.ts';
import { startProcess } from '#local/process/owned-process.ts';
import { waitUntilReady } from '#local/process/wait-until-ready.ts';
import { readObjects } from '#test/ops/kubernetes/kubernetes.ts';
import { Kubectl } from './kubectl.ts';
import { LiveFleet } from './live-fleet.ts';

/**
 * k8s/production/scaling.yaml with the real KEDA, HorizontalPodAutoscaler and Prometheus. The label workers are a model: their
 * pods are made and never run, on a cluster without a node.
 */

const log = (line: string) => void process.stdout.write(`${line}\n`);
const SECOND = 1_000;
const MINUTE = 60 * SECOND;

const test = base
  .extend('folder', { scope: 'file' }, async ({}, { onCleanup }) => {
    const folder = makeTemporaryFolder(join(repoRoot, '.local'));
    onCleanup(() => rmSync(folder, { recursive: true }));
    return folder;
  })
  .extend('kubectl', { scope: 'file' }, () => new Kubectl('guias'))
  .extend('fleet', { scope: 'file' }, async ({ kubectl }, { onCleanup }) => {
    await kubectl.run('create', 'namespace', 'guias');
    const [workers] = readObjects('base/label-worker.yaml');
    await kubectl.pipe(JSON.stringify(workers), 'apply', '--server-side', '-f', '-');
    const fleet = await LiveFleet.start(kubectl);
    onCleanup(() => fleet.close());
    return fleet;
  })
  .extend('prometheus', { scope: 'file' }, async ({ folder, fleet }, { onCleanup }) => {
    const monitor = readObjects('monitoring/pod-monitor.yaml')[0]?.spec as unknown as {
      podMetricsEndpoints: { interval: string }[];
    };
    const config = {
      global: { scrape_interval: monitor.podMetricsEndpoints[0]?.interval },
      scrape_configs: [{ job_name: 'api', honor_labels: true, static_configs: [{ targets: [fleet.host] }] }],
    };
    mkdirSync(join(folder, 'prometheus'));
    writeFileSync(join(folder, 'prometheus.yml'), JSON.stringify(config));
    const port = await freePort();
    const files = [`--config.file=${folder}/prometheus.yml`, `--storage.tsdb.path=${folder}/prometheus`];
    let server = startProcess({
      name: 'Prometheus',
      command: ['prometheus', ...files, `--web.listen-address=127.0.0.1:${port}`],
      logFile: join(folder, 'logs/prometheus.log'),
    });
    const url = `http://127.0.0.1:${port}`;
    const ready = () => waitUntilReady(server, async () => (await fetch(`${url}/-/ready`)).ok, 20_000);
    await ready();
    onCleanup(() => server.stop());
    return {
      url,
      stop: () => server.stop(),
      async startAgain() {
        server = server.startAgain();
        await ready();
      },
    };
  });

/** Looks for so long how many replicas there are. @returns each number that there was. */
async function numbers(fleet: LiveFleet, ms: number): Promise<number[]> {
  const seen = new Set<number>();
  for (const until = performance.now() + ms; performance.now() < until; await delay(SECOND))
    seen.add(fleet.replicas);
  return [...seen];
}

/** Returns the seconds until for ten seconds no label was late. */
async function secondsUntilInTime(fleet: LiveFleet): Promise<number> {
  const from = performance.now();
  await delay(2 * SECOND);
  await expect.poll(() => performance.now() - fleet.lateAt, { timeout: 2 * MINUTE }).toBeGreaterThan(10_000);
  return Math.max(0, fleet.lateAt - from) / SECOND;
}

test(
  'workers follow a step at once, stay as many, and nothing changes while nobody knows',
  async ({ kubectl, fleet, prometheus }) => {
    fleet.load = 130;
    const scaling = readObjects('production/scaling.yaml').find(({ kind }) => kind === 'ScaledObject');
    const object = JSON.stringify(scaling)
      .replaceAll('http://prometheus.monitoring:9090', prometheus.url)
      .replace('"maxReplicaCount":20', '"maxReplicaCount":60'); // or it would be the maximum that keeps the number
    await kubectl.pipe(object, 'apply', '--server-side', '-f', '-');
    await kubectl.run('wait', '--for=condition=Ready', 'scaledobject/label-worker', '--timeout=60s');
    await expect.poll(() => fleet.replicas).toBe(2);
    // The rates need a minute of samples.
    expect(await numbers(fleet, 90 * SECOND)).toEqual([2]);

    fleet.load = 1_300;
    const seconds = await secondsUntilInTime(fleet);
    log(`A step of ten times was served after ${seconds.toFixed(1)} s, by ${fleet.replicas} workers`);
    expect(seconds).toBeLessThan(40);

    await delay(MINUTE);
    const constant = fleet.replicas;
    expect(await numbers(fleet, 4 * MINUTE)).toEqual([constant]);

    fleet.paused = true;
    expect(await numbers(fleet, 2 * MINUTE)).toEqual([constant]);
    fleet.paused = false;
    log(`After a pause: ${await numbers(fleet, MINUTE)} workers`);

    const before = fleet.replicas;
    await prometheus.stop();
    fleet.load = 5_000;
    expect(await numbers(fleet, 2 * MINUTE)).toEqual([before]);
    expect(
      await kubectl.run(
        'get',
        'scaledobject',
        'label-worker',
        '-o',
        'jsonpath={.status.conditions[?(@.type=="Fallback")].status}',
      ),
    ).toBe('True');
    await prometheus.startAgain();
    const later = await secondsUntilInTime(fleet);
    log(`After an outage of Prometheus a load that grew was served after ${later.toFixed(1)} s`);
    expect(fleet.replicas).toBeGreaterThan(before);
  },
  20 * MINUTE,
);
