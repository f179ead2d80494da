import { expect } from 'vitest';
import { test } from './canary.ts';

test('a round creates a guide, reads its print and says so', async ({ startCanary, api }) => {
  const { url, report } = await startCanary();
  await expect.poll(async () => (await report()).ways[0]?.tookMs).toBeDefined();
  expect(await report()).toEqual({
    key: 'ok',
    ways: [
      {
        way: 'customers',
        host: new URL(api.url).host,
        goodAgoMs: expect.any(Number),
        tookMs: expect.any(Number),
      },
    ],
    series: [],
    uptimeMs: expect.any(Number),
  });
  const metrics = await (await fetch(`${url}/metrics`)).text();
  const steps = [...metrics.matchAll(/^canary_failures_in_a_row\{step="([a-z-]+)",way="customers"\} 0$/gm)];
  expect(steps.map(([, step]) => step).toSorted()).toEqual([
    ...['branch', 'create', 'label', 'page', 'postal-code', 'print', 'quote', 'read', 'repeat'],
  ]);
});
