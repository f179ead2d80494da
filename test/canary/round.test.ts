import { expect } from 'vitest';
import type { CanaryReport } from '#shared/canary/report.ts';
import { lookAt } from '#test/fixtures/axe.ts';
import { openTab } from '#test/fixtures/browser.ts';
import { printingTest as test } from '#test/fixtures/services.ts';

test('a round creates a guide, reads its print and says so', async ({ canary, api }) => {
  const report = async () => (await (await fetch(`${canary.url}/health/rounds`)).json()) as CanaryReport;
  await expect.poll(report).toEqual({
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
    checks: [],
    uptimeMs: expect.any(Number),
  });
  const metrics = await (await fetch(`${canary.url}/metrics`)).text();
  const gauge = /^canary_fault\{step="([a-z-]+)",action="([a-z]*)",way="customers",late="false"\} 0$/gm;
  const steps = [...metrics.matchAll(gauge)].map(([, step, action]) => `${step} ${action}`);
  expect(steps).toEqual(
    expect.arrayContaining([
      ...['create create', 'read read', 'repeat create', 'print print', 'read-label ', 'quote quote'],
      ...['branch read', 'postal-code read', 'page '],
    ]),
  );
});

test('the page shows the last rounds, to everybody who can read', async ({ canary, browser }) => {
  const { page, failures } = await openTab(browser);
  const look = async () => {
    await page.goto(canary.url);
    return (await page.evaluate('document.body.innerText')) as string;
  };
  const served = /^Dirección de los clientes 127\.0\.0\.1:\d+\s+Bien hace [\d.]+ m?s, en [\d.]+ m?s$/m;
  await expect.poll(look).toMatch(served);
  const text = await look();
  expect(text).toMatch(/^Leer lo que dice su etiqueta\s+Bien\s/m);
  expect(text).not.toMatch(/\d{12}|gk_/);
  await lookAt(page, 'rondas', { width: 1280, height: 900 }, ['light']);
  await lookAt(page, 'rondas', { width: 320, height: 640 }, ['dark']);
  expect(failures).toEqual([]);
});
