import { expect } from 'vitest';
import { type LabelOutcome, readLabelCounts } from '#shared/stores/label-counts.ts';
import { Client, minimalGuide } from '#test/fixtures/client.ts';
import { passTime } from '#test/fixtures/pass-time.ts';
import { test } from '#test/fixtures/services.ts';
import type { Stores } from '#test/fixtures/stores.ts';
import { scrape } from '#test/fixtures/telemetry/metrics.ts';

/** What became of labels in the last two hours. */
async function totals({ redis, prefix }: Pick<Stores, 'redis' | 'prefix'>) {
  const minutes = await readLabelCounts(redis, prefix);
  const sum = (outcome: LabelOutcome) => minutes.reduce((total, minute) => total + minute[outcome], 0);
  return { printed: sum('printed'), failed: sum('failed'), refused: sum('refused') };
}

test('a label that no worker would print is our 503 at once, and is printed when a worker comes', async ({
  startApi,
  startLabelWorker,
  stores,
}) => {
  const api = await startApi({ LABEL_TIMEOUT_MS: '500' });
  const demo = await Client.login(api.url);
  const [guide] = await demo.created(minimalGuide());
  const label = () => demo.get(`/api/guias/etiqueta/${guide?.SEND_GUIA}`);
  expect((await label()).status).toBe(500); // a worker may be on its way for seven seconds, as in a rolling restart
  passTime(7_000);
  expect((await label()).status).toBe(503);

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
  expect((await scrape(api.url)).get(refused)).toBe(2);

  await startLabelWorker();
  await expect.poll(async () => (await label()).status).toBe(200);
  // The dashboard's picture has all three.
  await expect
    .poll(() => totals(stores), { timeout: 5_000 })
    .toEqual({
      printed: 1,
      failed: 1,
      refused: 2,
    });
});

test('a label that exceeds the requests of its account is refused in the dashboard too', async ({
  startApi,
  stores,
}) => {
  const limits = { REQUESTS_PER_SECOND_PER_ACCOUNT: '1', REQUESTS_BURST_PER_ACCOUNT: '2' };
  const prefix = stores.prefix.replace('}', '-limits}');
  const api = await startApi({ ...limits, REDIS_PREFIX: prefix });
  const demo = await Client.login(api.url);
  const label = () => demo.get('/api/guias/etiqueta/000000000000');
  const answers = await Promise.all([label(), label(), label()]);
  expect(answers.map(({ status }) => status).sort()).toEqual([404, 404, 429]);
  await expect
    .poll(() => totals({ ...stores, prefix }), { timeout: 5_000 })
    .toEqual({ printed: 0, failed: 0, refused: 1 });
});
