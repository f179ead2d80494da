import { expect } from 'vitest';
import type { CanaryReport } from '#shared/canary/report.ts';
import { printingTest as test } from '#test/fixtures/services.ts';

test('a round creates a guide, reads its print and says so', async ({ canary, api }) => {
  const report = async () => (await (await fetch(`${canary.url}/health/rounds`)).json()) as CanaryReport;
  await expect.poll(async () => (await report()).ways[0]?.tookMs).toBeDefined();
  expect(await report()).toEqual({
    key: 'ok',
    ways: [
      {
        way: 'customers',
        host: new URL(api.url).host,
        triedForMs: expect.any(Number),
        goodAgoMs: expect.any(Number),
        tookMs: expect.any(Number),
      },
    ],
    series: [],
    uptimeMs: expect.any(Number),
  });
  const metrics = await (await fetch(`${canary.url}/metrics`)).text();
  const steps = [...metrics.matchAll(/^canary_failures_in_a_row\{step="([a-z-]+)",way="customers"\} 0$/gm)];
  expect(steps.map(([, step]) => step).toSorted()).toEqual([
    ...['branch', 'create', 'label', 'page', 'postal-code', 'print', 'quote', 'read', 'repeat'],
  ]);
});
