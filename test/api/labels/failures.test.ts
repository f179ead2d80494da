import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { expect, onTestFinished, vi } from 'vitest';
import type { OwnedProcess } from '#local/process/owned-process.ts';
import { provideRedis } from '#local/programs/redis.ts';
import { Client, minimalGuide } from '#test/fixtures/client.ts';
import { pretendWorker } from '#test/fixtures/labels/pretended-worker.ts';
import { test } from '#test/fixtures/services.ts';
import { scrape } from '#test/fixtures/telemetry/metrics.ts';

/** What `/metrics` says of label requests without a label, by reason, where there are any. */
async function failures(url: string): Promise<Record<string, number>> {
  const found = [...(await scrape(url))].filter(([name]) => name.startsWith('label_failures_total'));
  return Object.fromEntries(
    found
      .filter(([, count]) => count > 0)
      .map(([name, count]) => [/reason="(\w+)"/.exec(name)?.[1] ?? '', count]),
  );
}

test('every label request that is answered 503 while Redis is away is counted, also where several share a label; the api closes all the same', async ({
  folder,
  startApi,
}) => {
  const redis = await provideRedis({ folder, durable: false, log: () => {} });
  const own = await startApi({ REDIS_URL: redis.url });
  const demo = await Client.login(own.url);
  const guides = await demo.created(minimalGuide(), minimalGuide());
  const server = redis.processes[0] as OwnedProcess;
  server.kill('SIGKILL');
  await server.ended;
  const [first, second] = guides.map(({ SEND_GUIA }) => `/api/guias/etiqueta/${SEND_GUIA}`);
  const paths = [first, first, second, `${second?.replace('etiqueta', 'etiqueta-pequena')}`];
  const answers = await Promise.all(paths.map((path = '') => demo.get(path)));
  expect(answers.map(({ status }) => status)).toEqual([503, 503, 503, 503]);
  expect((await demo.get('/api/guias/etiqueta/000000000000')).status).toBe(404);
  expect(await failures(own.url)).toEqual({ unavailable: 4 });
  const began = performance.now();
  await own.server.close();
  expect(performance.now() - began).toBeLessThan(5_000);
});

test('a client that leaves is measured as 499 for as long as it waited, and is no failure of ours', async ({
  startApi,
  stores,
}) => {
  const REDIS_PREFIX = stores.prefix.replace('}', `-${randomUUID()}}`); // nobody prints its labels
  onTestFinished(await pretendWorker({ redis: stores.redis, prefix: REDIS_PREFIX }));
  const own = await startApi({ REDIS_PREFIX });
  const demo = await Client.login(own.url);
  const [guide] = await demo.created(minimalGuide());
  const leaving = request(`${own.url}/api/guias/etiqueta/${guide?.SEND_GUIA}`, {
    headers: { authorization: `Bearer ${demo.token}` },
  });
  leaving.on('error', () => {}).end();
  const waiting = async () => (await scrape(own.url)).get('label_queue_jobs{state="waiting"}');
  await expect.poll(waiting).toBe(1);
  leaving.destroy();
  const left =
    'http_request_duration_seconds_count{method="GET",route="/api/guias/etiqueta/:guia",status="499"}';
  await vi.waitFor(async () => expect((await scrape(own.url)).get(left)).toBe(1), { timeout: 10_000 });
  expect(await failures(own.url)).toEqual({});
});

test('what has an objective is measured from the start, so that its first failure shows', async ({
  startApi,
}) => {
  const series = await scrape((await startApi()).url);
  const count = (method: string, route: string, status: number) =>
    `http_request_duration_seconds_count{method="${method}",route="${route}",status="${status}"}`;
  for (const status of [200, 500, 503]) {
    expect(series.get(count('POST', '/api/guias/crear', status))).toBe(0);
    expect(series.get(count('GET', '/api/guias/etiqueta/:guia', status))).toBe(0);
    expect(series.get(count('GET', '/api/guias/etiqueta-pequena/:guia', status))).toBe(0);
  }
});
