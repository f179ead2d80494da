import { Redis } from 'ioredis';
import { Registry } from 'prom-client';
import { describe, expect } from 'vitest';
import { QuotaReport } from '#services/api/quotas/quota-report.ts';
import { RequestQuota } from '#services/api/quotas/request-quota.ts';
import { Client } from '#test/fixtures/client.ts';
import { test as services } from '#test/fixtures/services.ts';
import { scrape } from '#test/fixtures/telemetry/metrics.ts';

const USERS = ['demo', 'otro', 'lectura', 'operaciones', 'sinorigen'];
const BURST = 20;
const test = services
  .override('settings', { REQUESTS_BURST_PER_ACCOUNT: String(BURST) })
  /** One request comes back in 100 s: none while a test runs. */
  .extend('slow', { scope: 'file', auto: true }, ({ stores }) =>
    stores.mongo
      .collection<{ _id: string; requestsPerSecond: number }>('accounts')
      .insertMany(USERS.map((_id) => ({ _id, requestsPerSecond: 0.01 }))),
  )
  .extend('second', { scope: 'file' }, ({ startApi }) => startApi());

const ask = (client: Client) => client.get('/api/auth/validate');
/** Asks until the account is refused. @returns how often it was not. */
async function untilRefused(client: Client): Promise<number> {
  let served = 0;
  while ((await ask(client)).status !== 429) served++;
  return served;
}

describe('the requests of an account', () => {
  test('beyond its burst are 429, whoever of its users asks and for what; another account is not touched', async ({
    api,
    demo,
  }) => {
    const [demo2, otro] = [await Client.login(api.url, 'demo2'), await Client.login(api.url, 'otro')];
    expect([await untilRefused(demo), await untilRefused(demo2)]).toEqual([BURST, 0]);

    for (const refused of [await ask(demo2), await demo.get('/api/sucursales'), await demo.create([])]) {
      expect(refused.status).toBe(429);
      expect(refused.body).toMatchObject({
        response: 'ERROR',
        message: 'Demasiadas solicitudes, intente mas tarde',
        codigo: 'cuota_excedida',
      });
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(80);
      expect(refused.headers.get('ratelimit-policy')).toBe('"solicitudes";q=20;w=2000');
      expect(refused.headers.get('ratelimit')).toMatch(/^"solicitudes";r=0;t=\d{4}$/);
    }
    expect((await ask(otro)).status).toBe(200);
    expect((await scrape(api.url)).get('quota_refusals_total{limit="requests"}')).toBeGreaterThanOrEqual(3);
  });

  test('are told on every answer of theirs how many are left', async ({ api }) => {
    const lectura = await Client.login(api.url, 'lectura');
    const first = await ask(lectura);
    expect(first.headers.get('ratelimit-policy')).toBe('"solicitudes";q=20;w=2000');
    expect(first.headers.get('ratelimit')).toBe('"solicitudes";r=19;t=100');
    const forbidden = await lectura.create([]);
    expect(forbidden.status).toBe(403);
    expect(forbidden.headers.get('ratelimit')).toBe('"solicitudes";r=18;t=200');
  });

  test('are counted over all API processes', async ({ api, second }) => {
    const here = await Client.login(api.url, 'operaciones');
    await untilRefused(here);
    // The other process has heard nothing of this account, and asks Redis with the first request. By itself it would
    // refuse the 21st, which is not reached in this time.
    const there = new Client(second.url, here.token);
    await expect.poll(async () => (await ask(there)).status, { interval: 100, timeout: 1_900 }).toBe(429);
  });

  test('leave a key in Redis that holds no name, and goes when they are paid', async ({ api, stores }) => {
    await ask(await Client.login(api.url, 'sinorigen'));
    await expect.poll(() => stores.redis.keys(`${stores.prefix}:requests-account:*`)).not.toEqual([]);
    for (const key of await stores.redis.keys(`${stores.prefix}:requests-account:*`)) {
      expect(key).toMatch(/:[\w-]{43}$/);
      expect(await stores.redis.pttl(key)).toBeGreaterThan(0);
    }
  });
});

describe('while Redis is away', () => {
  const limits = { requestsPerSecond: 10, requestsBurst: 3, guidesPerDay: 1, labelPages: 1 };

  test('the time until all is left again is exact at any time of the clock', async ({}) => {
    const away = new Redis({ lazyConnect: true, enableOfflineQueue: false, port: 1 });
    const report = new QuotaReport(new Registry(), { warn: () => {} });
    for (let now = 40_000; now < 40_010; now += 0.1) {
      const quota = new RequestQuota(away, '{away}', report, () => now);
      expect(quota.take('cuenta', { ...limits, requestsPerSecond: 0.01 }).state.resetS).toBe(100);
      quota.close();
    }
    away.disconnect();
  });

  test('a process counts for itself, and says so once a minute', async ({}) => {
    let now = 0;
    const lines: string[] = [];
    const metrics = new Registry();
    const away = new Redis({ lazyConnect: true, enableOfflineQueue: false, port: 1 });
    away.on('error', () => {});
    const report = new QuotaReport(metrics, { warn: (_: unknown, text?: string) => lines.push(text ?? '') });
    const quota = new RequestQuota(away, '{away}', report, () => now);
    const take = () => quota.take('cuenta', limits).waitMs;
    expect([take(), take(), take(), take()]).toEqual([0, 0, 0, 100]);
    now += 60;
    expect(take()).toBeCloseTo(40);
    now += 40;
    expect([take(), take()]).toEqual([0, 100]);
    now += 1_000;
    expect([take(), take(), take(), take()]).toEqual([0, 0, 0, 100]);
    const uncounted = metrics.getSingleMetric('quota_uncounted_total');
    await expect.poll(async () => (await uncounted?.get())?.values[0]?.value).toBeGreaterThan(0);
    expect(lines).toEqual(['Redis does not count against the limits of accounts: work goes on uncounted']);
    quota.close();
    away.disconnect();
  });
});
