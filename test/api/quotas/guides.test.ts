import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { describe, expect } from 'vitest';
import { provideRedis } from '#local/programs/redis.ts';
import { type Answer, Client, minimalGuide } from '#test/fixtures/client.ts';
import { test as services } from '#test/fixtures/services.ts';
import { scrape } from '#test/fixtures/telemetry/metrics.ts';

const PER_DAY = 10;
const test = services
  .override('settings', { GUIDES_PER_DAY_PER_ACCOUNT: String(PER_DAY) })
  .extend('guides', { scope: 'file' }, ({ stores }) => stores.mongo.collection('guides'))
  .extend('second', { scope: 'file' }, ({ startApi }) => startApi())
  /** Starts an api for which nobody has created a guide today. */
  .extend('fresh', { scope: 'file' }, ({ stores, startApi }) => {
    let count = 0;
    return () => startApi({ REDIS_PREFIX: stores.prefix.replace('}', `-${count++}}`) });
  });

const several = (count: number) => Array.from({ length: count }, () => minimalGuide());
/** How many guides the answer to a creation says are left. */
const left = ({ headers }: Answer) => Number(/"guias";r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1]);

describe("an account's guides of the day", () => {
  test('are refused beyond the limit, over all processes and users of the account, and none is stored', async ({
    api,
    demo,
    guides,
    second,
  }) => {
    const demo2 = await Client.login(second.url, 'demo2');
    expect(left(await demo.create(several(4)))).toBe(6);
    expect(left(await demo2.create(several(4)))).toBe(2);
    const before = await guides.countDocuments();
    for (const user of [demo, demo2]) {
      const { status, headers, body } = await user.create(several(3));
      expect(status).toBe(429);
      expect(body).toMatchObject({
        message: 'Cuota diaria de guias excedida, intente mas tarde',
        codigo: 'cuota_excedida',
      });
      expect(headers.get('ratelimit-policy')).toContain('"guias";q=10;w=86400');
      const reset = /"guias";r=2;t=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1];
      expect(headers.get('retry-after')).toBe(reset);
      expect(Number(reset)).toBeLessThanOrEqual(86_400);
    }
    expect(await guides.countDocuments()).toBe(before);
    expect((await demo.create(several(2))).status).toBe(200);
    expect((await demo.create(several(1))).status).toBe(429);
    expect((await (await Client.login(api.url, 'otro')).create(several(PER_DAY))).status).toBe(200);
    expect((await scrape(api.url)).get('quota_refusals_total{limit="guides"}')).toBe(2);
  });

  test('hold under concurrency', async ({ fresh, guides }) => {
    const demo = await Client.login((await fresh()).url);
    const before = await guides.countDocuments();
    const answers = await Promise.all(Array.from({ length: 30 }, () => demo.create(several(1))));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(PER_DAY);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(20);
    expect(await guides.countDocuments()).toBe(before + PER_DAY);
  });

  test('do not include those of a creation that failed', async ({ fresh }) => {
    const demo = await Client.login((await fresh()).url);
    const uncovered = minimalGuide({ CodigoPostal: '99999' });
    for (let attempt = 0; attempt < 3; attempt++) {
      expect((await demo.create([...several(5), uncovered])).body.message).toBe(
        'No hay cobertura para el código postal: 99999',
      );
    }
    expect(left(await demo.create(several(1)))).toBe(PER_DAY - 1);
  });

  test('count a creation once that is repeated with its Idempotency-Key', async ({ fresh }) => {
    const demo = await Client.login((await fresh()).url);
    const key = randomUUID();
    const body = { TipoServicio: 'Domicilio', Guia: several(4) };
    const create = () => demo.post('/api/guias/crear', body, { 'idempotency-key': key });
    const answers = await Promise.all([create(), create(), create()]);
    expect(answers.filter(({ status }) => status !== 429).map(({ status }) => status)).toContain(200);
    const repeated = await create();
    expect(repeated.status).toBe(200);
    expect(repeated.headers.get('ratelimit')).not.toContain('guias');
    expect(left(await demo.create(several(1)))).toBe(5);
  });
});

test('guides are created while Redis is full', async ({ folder, startApi }) => {
  const { url, close } = await provideRedis({ folder, durable: false, log: () => {} });
  const own = await startApi({ REDIS_URL: url });
  const demo = await Client.login(own.url);
  const redis = new Redis(url);
  await redis.config('SET', 'maxmemory', '1');
  expect((await demo.create(several(PER_DAY - 1))).status).toBe(200);
  // The process counts for itself meanwhile.
  expect((await demo.create(several(2))).status).toBe(429);
  expect((await demo.create(several(1))).status).toBe(200);
  expect((await scrape(own.url)).get('quota_uncounted_total{limit="guides"}')).toBeGreaterThanOrEqual(3);
  await redis.config('SET', 'maxmemory', '0');
  expect(left(await demo.create(several(1)))).toBe(PER_DAY - 1);
  redis.disconnect();
  await own.server.close();
  await close();
});
