import { describe, expect } from 'vitest';
import { ApiClient } from '#test/bench/load/api-client.ts';
import { inParallel } from '#test/bench/load/load.ts';
import { Client } from '#test/fixtures/client.ts';
import { expectGuidesAndLabels } from '#test/fixtures/labels/expect-labels.ts';
import { expectSandbox, SANDBOX_SCRIPT } from '#test/fixtures/sandbox.ts';
import { test } from './project.ts';

/** The longest start from nothing with built images, in seconds; on two cores that others use too. */
const START_S = 120;

describe('docker compose up', () => {
  test('makes every container healthy', async ({ project, startSeconds }) => {
    process.stdout.write(`Everything is healthy after ${startSeconds.toFixed(0)} s\n`);
    expect(startSeconds).toBeLessThan(START_S);
    for (const container of await project.containers()) {
      expect([container.service, await project.inspect(container, '{{.State.Health.Status}}')]).toEqual([
        container.service,
        'healthy',
      ]);
    }
  });

  test('serves login, guides and both labels, whose codes a reader decodes', async ({ url }) => {
    await expectGuidesAndLabels(await Client.login(url));
  });

  test("prints with Chromium's sandbox", async ({ project, url }) => {
    expect(url).toBeTruthy();
    const [worker] = await project.containers('label-worker');
    expectSandbox(await project.docker('exec', worker?.id ?? '', 'sh', '-c', SANDBOX_SCRIPT));
  });

  test('lets three workers share the labels', async ({ project, url }) => {
    await project.compose('up', '--wait', '--detach', '--no-build', '--scale', 'label-worker=3');
    const api = await ApiClient.login(url);
    const labels = await inParallel(await api.newGuides(300), 32, (guide) => api.label(guide));
    await api.close();
    expect(labels.refusals).toEqual([]);
    const printed = await Promise.all(
      (await project.containers('label-worker')).map(async ({ id }) => {
        const script =
          "fetch('http://127.0.0.1:3002/metrics').then((r) => r.text()).then((t) => console.log(/^labels_printed_total.*? (\\d+)$/m.exec(t)?.[1]))";
        return Number(await project.docker('exec', id, 'node', '-e', script));
      }),
    );
    process.stdout.write(`Labels of each worker: ${printed.join(', ')}\n`);
    expect(printed).toHaveLength(3);
    for (const count of printed) expect(count).toBeGreaterThan(30);
  });
});

describe('Prometheus', () => {
  const ask = async (ports: { PROMETHEUS_PORT: string }, path: string) => {
    const response = await fetch(`http://127.0.0.1:${ports.PROMETHEUS_PORT}/api/v1/${path}`);
    return ((await response.json()) as { data: never }).data;
  };

  test('scrapes every service', async ({ ports, url }) => {
    expect(url).toBeTruthy();
    type Target = { labels: { job: string }; health: string };
    await expect
      .poll(async () => {
        const { activeTargets } = (await ask(ports, 'targets')) as { activeTargets: Target[] };
        return [...new Set(activeTargets.map(({ labels, health }) => `${labels.job} ${health}`))].sort();
      })
      .toEqual(['api up', 'branches up', 'canary up', 'dashboard up', 'label-worker up', 'webhooks up']);
  });

  test('evaluates every rule', async ({ ports, url }) => {
    expect(url).toBeTruthy();
    type Rule = { name: string; health: string };
    await expect
      .poll(async () => {
        const { groups } = (await ask(ports, 'rules')) as { groups: { rules: Rule[] }[] };
        return groups.flatMap(({ rules }) => rules).filter(({ health }) => health !== 'ok');
      })
      .toEqual([]);
  });
});
