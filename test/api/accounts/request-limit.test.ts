import { Redis } from 'ioredis';
import { Registry } from 'prom-client';
import { describe, expect } from 'vitest';
import { startRedis } from '#local/programs/redis.ts';
import { LimitReached } from '#services/api/accounts/account-limits.ts';
import { CountedLimit } from '#services/api/accounts/counted-limit.ts';
import { LimitReport } from '#services/api/accounts/limit-report.ts';
import { RequestLimit } from '#services/api/accounts/request-limit.ts';
import { Client } from '#test/fixtures/client.ts';
import { passTime } from '#test/fixtures/pass-time.ts';
import { test as services } from '#test/fixtures/services.ts';
import { scrape } from '#test/fixtures/telemetry/metrics.ts';

const USERS = ['demo', 'otro', 'lectura', 'operaciones', 'sinorigen'];
const BURST = 20;
const test = services
  .extend('settings', { REQUESTS_BURST_PER_ACCOUNT: String(BURST) })
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
  test('beyond its burst are 429, those of another account are not', async ({ api, demo }) => {
    const [demo2, otro] = [await Client.login(api.url, 'demo2'), await Client.login(api.url, 'otro')];
    expect([await untilRefused(demo), await untilRefused(demo2)]).toEqual([BURST, 0]);

    for (const refused of [await ask(demo2), await demo.get('/api/sucursales'), await demo.create([])]) {
      expect(refused.status).toBe(429);
      expect(refused.body).toMatchObject({ response: 'ERROR', codigo: 'cuota_excedida' });
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
    // Less what has come back by then.
    expect(forbidden.headers.get('ratelimit')).toMatch(/^"solicitudes";r=18;t=(?:1\d\d|200)$/);
  });

  test('are counted over all API processes', async ({ api, second }) => {
    const here = await Client.login(api.url, 'operaciones');
    await untilRefused(here);
    expect((await ask(new Client(second.url, here.token))).status).toBe(429);
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

test('a process asks Redis again a second after it heard of an account', async ({ stores }) => {
  const limits = { requestsPerSecond: 0.01, requestsBurst: BURST, guidesPerDay: 1, labelPages: 1 };
  const report = new LimitReport(new Registry(), { warn() {} });
  const options = { redis: stores.redis, prefix: stores.prefix, limit: 'requests', report } as const;
  const [one, other] = [1, 2].map(() => new RequestLimit(new CountedLimit(options)));
  expect((await one?.take('heard', limits))?.remaining).toBe(BURST - 1);
  for (let i = 2; i <= BURST - 1; i++) await other?.take('heard', limits);
  passTime(1_000);
  expect((await one?.take('heard', limits))?.remaining).toBe(0);
  passTime(1_000);
  await expect(one?.take('heard', limits)).rejects.toThrow(LimitReached);
});

test('while Redis is full each process counts for itself', async ({ folder, startApi }) => {
  const { url, close } = await startRedis({ folder, durable: false, log: () => {} });
  const own = await startApi({ REDIS_URL: url });
  const demo = await Client.login(own.url, 'lectura');
  const redis = new Redis(url);
  await redis.config('SET', 'maxmemory', '1');
  expect(await untilRefused(demo)).toBe(BURST);
  const refused = await ask(demo);
  expect(refused.body.codigo).toBe('cuota_excedida');
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await scrape(own.url)).get('quota_uncounted_total{limit="requests"}')).toBe(BURST + 2);
  redis.disconnect();
  await own.server.close();
  await close();
});
