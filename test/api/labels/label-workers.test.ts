import { expect } from 'vitest';
import { Client, minimalGuide } from '#test/fixtures/client.ts';
import { test } from '#test/fixtures/services.ts';
import { scrape } from '#test/fixtures/telemetry/metrics.ts';

test('a label that no worker would print is our 503 at once, and is printed when a worker comes', async ({
  startApi,
  startLabelWorker,
}) => {
  const api = await startApi({ LABEL_TIMEOUT_MS: '500' });
  const demo = await Client.login(api.url);
  const [guide] = await demo.created(minimalGuide());
  const label = () => demo.get(`/api/guias/etiqueta/${guide?.SEND_GUIA}`);
  // A worker may be on its way for seven seconds, as in a rolling restart.
  await expect.poll(async () => (await label()).status, { timeout: 20_000 }).toBe(503);

  const began = performance.now();
  const { status, headers, body } = await label();
  expect(performance.now() - began).toBeLessThan(400);
  expect(status).toBe(503);
  expect(headers.get('retry-after')).toBe('2');
  expect(body).toEqual({
    response: 'ERROR',
    message: 'Servicio no disponible, intente de nuevo',
    codigo: 'servicio_no_disponible',
    requestId: expect.any(String),
  });
  const refused = 'label_failures_total{reason="no_worker"}';
  expect((await scrape(api.url)).get(refused)).toBeGreaterThanOrEqual(2);

  await startLabelWorker();
  await expect.poll(async () => (await label()).status).toBe(200);
});
