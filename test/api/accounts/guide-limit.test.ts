import type { Redis } from 'ioredis';
import { Registry } from 'prom-client';
import { describe, expect, vi } from 'vitest';
import { CountedLimit } from '#services/api/accounts/counted-limit.ts';
import { GuideLimit, KEPT_S } from '#services/api/accounts/guide-limit.ts';
import { LimitReport } from '#services/api/accounts/limit-report.ts';
import { guides } from '#services/api/guides/room.ts';
import { localTimeFormatter } from '#services/api/platform/local-time.ts';
import { DomainError } from '#shared/errors/domain-error.ts';
import { type Answer, Client, minimalGuide } from '#test/fixtures/client.ts';
import { type Fate, startMongoProxy } from '#test/fixtures/mongo-proxy.ts';
import { passTime } from '#test/fixtures/pass-time.ts';
import { test as services } from '#test/fixtures/services.ts';
import type { Stores } from '#test/fixtures/stores.ts';
import { scrape } from '#test/fixtures/telemetry/metrics.ts';

const PER_DAY = 10;
const test = services
  .extend('settings', { GUIDES_PER_DAY_PER_ACCOUNT: String(PER_DAY) })
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
  test('are refused beyond the limit, and none is stored', async ({ api, demo, guides, second }) => {
    const demo2 = await Client.login(second.url, 'demo2');
    expect(left(await demo.create(several(4)))).toBe(6);
    expect(left(await demo2.create(several(4)))).toBe(2);
    const before = await guides.countDocuments();
    for (const user of [demo, demo2]) {
      const { status, headers, body } = await user.create(several(3));
      expect(status).toBe(429);
      expect(body.codigo).toBe('cuota_excedida');
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

  test('are not taken by a creation that is refused at the same moment', async ({ fresh }) => {
    const demo = await Client.login((await fresh()).url);
    const uncovered = [...several(PER_DAY - 1), minimalGuide({ CodigoPostal: '99999' })];
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, i) => demo.create(i % 4 === 0 ? several(1) : uncovered)),
    );
    expect(answers.filter((_, i) => i % 4 === 0).map(({ status }) => status)).toEqual(Array(10).fill(200));
  });

  test('are not taken by a creation that is refused for its quote', async ({ fresh }) => {
    const demo = await Client.login((await fresh()).url);
    const refused = await demo.create([{ ...minimalGuide(), Cotizacion: 'no-es-una' }]);
    expect([refused.status, refused.body.codigo]).toEqual([400, 'cotizacion_invalida']);
    expect(left(await demo.create(several(1)))).toBe(PER_DAY - 1);
  });

  test('are not taken by a repeat that finds the creation only when it commits', async ({ fresh }) => {
    const { url, contextOf } = await fresh();
    const demo = await Client.login(url);
    const body = { TipoServicio: 'Domicilio', Guia: several(3) };
    const create = () => demo.post('/api/guias/crear', body, { 'idempotency-key': 'late' });
    const first = await create();
    expect(left(first)).toBe(PER_DAY - 3);
    vi.spyOn(contextOf(guides).journal, 'find').mockResolvedValueOnce(undefined);
    const repeat = await create();
    expect([repeat.body, repeat.headers.get('idempotent-replayed')]).toEqual([first.body, 'true']);
    // Neither by a creation that the journal refuses.
    vi.spyOn(contextOf(guides).journal, 'create').mockRejectedValueOnce(new DomainError('unavailable'));
    expect((await demo.create(several(2))).status).toBe(503);
    expect(left(await demo.create(several(1)))).toBe(PER_DAY - 4);
  });

  test('let a creation through that others repeat at that moment', async ({ stores, startApi }) => {
    const apis = [1, 2].map(() => startApi({ REDIS_PREFIX: stores.prefix.replace('}', '-same-key}') }));
    const clients = await Promise.all(apis.map(async (api) => Client.login((await api).url)));
    const body = { TipoServicio: 'Domicilio', Guia: several(PER_DAY - 1) };
    const create = (demo: Client) => demo.post('/api/guias/crear', body, { 'idempotency-key': 'same' });
    const answers = await Promise.all([...clients, ...clients].map(create));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(answers.filter(({ headers }) => headers.has('idempotent-replayed'))).toHaveLength(3);
    for (const answer of answers) expect(answer.body).toEqual(answers[0]?.body);
    expect((await (clients[0] as Client).create(several(2))).status).toBe(429);
    expect((await (clients[0] as Client).create(several(1))).status).toBe(200);
  });
});

describe('several processes', () => {
  const FAR = 100_000;
  const newLimit = ({ redis, prefix }: Pick<Stores, 'redis' | 'prefix'>) => {
    const report = new LimitReport(new Registry(), { warn() {} });
    const limit = new CountedLimit({ redis, prefix, limit: 'guides', keptS: KEPT_S, report });
    return new GuideLimit(limit, localTimeFormatter('UTC'), Date.now);
  };
  test('create no more than the limit together, and say what is left', async ({ stores }) => {
    const processes = Array.from({ length: 4 }, () => newLimit(stores));
    for (const one of processes) await one.take('long ago', 4_000, 1);
    passTime(1_000);
    const counts = Array.from({ length: 36 }, (_, i) => processes[i % 4]?.take('long ago', 4_000, 120));
    const granted = (await Promise.allSettled(counts)).filter(({ status }) => status === 'fulfilled');
    expect(4 + 120 * granted.length).toBe(4 + 120 * 33);
  });

  test('whose account is far from its limit wait once a second for Redis to count', async ({ stores }) => {
    const redis = { defineCommand() {}, countAgainstLimit: vi.fn() };
    const one = newLimit({ ...stores, redis: redis as unknown as Redis });
    const answered = () => redis.countAgainstLimit.mockResolvedValueOnce([1, 10]);
    const unanswered = () => redis.countAgainstLimit.mockReturnValueOnce(new Promise(() => {}));
    answered();
    await one.take('far', FAR, 10);
    unanswered();
    expect((await one.take('far', FAR, 10)).state.remaining).toBe(FAR - 20);
    passTime(1_000);
    redis.countAgainstLimit.mockResolvedValueOnce([1, 70_000]);
    expect((await one.take('far', FAR, 10)).state.remaining).toBe(30_000);
    // So near that all processes together could be through with it within the second.
    redis.countAgainstLimit.mockResolvedValueOnce([1, 85_000]);
    expect((await one.take('far', FAR, 10_001)).state.remaining).toBe(15_000);
  });
});

test('guides of which nobody knows whether they were created stay counted', async ({ startApi, stores }) => {
  const fates: Fate[] = [];
  const met = Promise.withResolvers<void>();
  const proxy = await startMongoProxy(stores.mongoUri, ({ insert }) => {
    const fate = insert === 'creations' ? fates.at(0) : undefined;
    if (fate) met.resolve();
    return fate ?? 'done';
  });
  const REDIS_PREFIX = stores.prefix.replace('}', '-unknown}');
  const { url, server } = await startApi({ MONGODB_URI: proxy.uri, REDIS_PREFIX });
  const demo = await Client.login(url);
  fates.push('answer lost');
  const unknown = demo.create(several(4));
  await met.promise;
  passTime(10_000);
  expect((await unknown).body.codigo).toBe('resultado_desconocido');
  fates.pop();
  expect(left(await demo.create(several(1)))).toBe(PER_DAY - 5);
  await server.close();
  await proxy.close();
});
