import { Redis } from 'ioredis';
import { expect, onTestFinished } from 'vitest';
import { CanaryReader } from '#services/dashboard/canary-reader.ts';
import { grave } from '#services/dashboard/diagnoses/diagnosis.ts';
import { diagnoseServices } from '#services/dashboard/diagnoses/processes.ts';
import { DiagnosisHistory } from '#services/dashboard/diagnosis-history.ts';
import type { ReadState, SystemState } from '#services/dashboard/system-state.ts';
import { Watch } from '#services/dashboard/watch.ts';
import { createLogger } from '#shared/observability/logger.ts';
import { LOST_MS } from '#shared/stores/heartbeat.ts';
import { cannot, GOOD, startPretendedCanary } from '#test/fixtures/dashboard/pretended-canary.ts';
import { passTime } from '#test/fixtures/pass-time.ts';
import { test as storesTest } from '#test/fixtures/stores.ts';

const test = storesTest.extend('redis', ({ stores }, { onCleanup }) => {
  const redis = new Redis(stores.redisUrls.dashboard);
  onCleanup(() => redis.disconnect());
  return redis;
});

const DOWN = grave('mongodb', 'mongodown', 'MongoDB no responde');
const FROM = Date.UTC(2026, 10, 25, 3);
const SECOND = 1_000;

test('two dashboards that see the same at the same moment tell of one episode', async ({ redis, stores }) => {
  const prefix = stores.prefix.replace('}', '-two}');
  const [one, other, reader] = [0, 1, 2].map(() => new DiagnosisHistory(redis, prefix)) as [
    DiagnosisHistory,
    DiagnosisHistory,
    DiagnosisHistory,
  ];
  await one.record([DOWN], FROM);
  await other.record([DOWN], FROM + SECOND);
  await other.record([DOWN], FROM + 5 * SECOND);
  await one.record([DOWN], FROM + 9 * SECOND);
  await reader.read();
  expect(reader.ended([])).toMatchObject([
    { id: 'mongodb', text: DOWN.text, from: FROM, to: FROM + 9 * SECOND },
  ]);
});

test('what Redis did not take is not forgotten for what it has', async ({ redis, stores }) => {
  const prefix = stores.prefix.replace('}', '-refused}');
  const history = new DiagnosisHistory(redis, prefix);
  await history.record([DOWN], FROM);
  await history.record([DOWN], FROM + 2 * SECOND);
  const user = redis.options.username ?? '';
  await stores.redis.acl('SETUSER', user, '-hset');
  await history.record([DOWN], FROM + 8 * SECOND);
  await history.read();
  expect(history.ended([])).toMatchObject([{ from: FROM, to: FROM + 8 * SECOND }]);

  await stores.redis.acl('SETUSER', user, '+hset');
  await history.record([], FROM + 10 * SECOND);
  const other = new DiagnosisHistory(redis, prefix);
  await other.read();
  expect(other.ended([])).toMatchObject([{ from: FROM, to: FROM + 8 * SECOND }]);
});

test('what comes back within a minute has not ended, and later it is another episode', async ({
  redis,
  stores,
}) => {
  const history = new DiagnosisHistory(redis, stores.prefix.replace('}', '-again}'));
  for (const second of [0, 2, 60, 62, 130, 132]) await history.record([DOWN], FROM + second * SECOND);
  expect(history.since('mongodb', FROM + 140 * SECOND)).toBe(FROM + 130 * SECOND);
  expect(history.ended([]).map(({ from, to }) => [from - FROM, to - FROM])).toEqual([
    [130 * SECOND, 132 * SECOND],
    [0, 62 * SECOND],
  ]);
});

test('a process that is forgotten has not come back: only one that gives signs again has', async ({
  redis,
  stores,
}) => {
  for (const [what, lostMs, told] of [
    ['back', 60 * SECOND, 1],
    ['forgotten', LOST_MS - SECOND, 0],
  ] as const) {
    const history = new DiagnosisHistory(redis, stores.prefix.replace('}', `-${what}}`));
    for (const beforeMs of [4 * SECOND, 0]) {
      const process = { service: 'api', id: 'a', host: 'uno', pid: 7, forMs: lostMs - beforeMs };
      const state = { services: [{ service: 'api' }], lost: [process] } as unknown as SystemState;
      const lost = [...diagnoseServices(state)].filter(({ id }) => id === 'lost-api');
      await history.record(lost, FROM - beforeMs);
    }
    expect(history.ended([])).toHaveLength(told);
  }
});

test('while Redis is silent, an episode began when the reading began that waited for it', async ({
  redis,
  stores,
}) => {
  const history = new DiagnosisHistory(redis, stores.prefix.replace('}', '-silent}'));
  const silence = Promise.withResolvers<never>();
  const readState: ReadState = () => silence.promise;
  const down = { check: () => Promise.reject(new Error('down')), required: true };
  const watch = new Watch({
    readState,
    canary: { latest: async () => ({ report: GOOD, silentMs: 0 }) },
    history,
    dependencies: new Map([['redis', down]]),
  });
  const begun = history.now();
  const status = watch.status();
  passTime(10 * SECOND);
  silence.reject(new Error('Redis is silent'));
  await expect(status).rejects.toThrow('Redis is silent');
  expect(history.since('redis', history.now())).toBeLessThan(begun + 5 * SECOND);
});

test('while Redis is silent, the page says what the canary told the reading that failed, and asks it no more', async ({
  redis,
  stores,
}) => {
  const pretended = await startPretendedCanary(cannot('print'));
  onTestFinished(pretended.close);
  const canary = new CanaryReader(pretended.url, createLogger('test', 'silent'));
  const readState: ReadState = async () => {
    await canary.ask();
    throw new Error('Redis is silent');
  };
  const history = new DiagnosisHistory(redis, stores.prefix.replace('}', '-asked}'));
  const watch = new Watch({ readState, canary, history, dependencies: new Map() });
  await expect(watch.status()).rejects.toThrow('Redis is silent');
  passTime(10 * SECOND);
  expect([await watch.customer(), pretended.asked]).toEqual([
    'El cliente de prueba no puede imprimir etiquetas por la dirección de los clientes desde hace 50 s: 503 saturado',
    1,
  ]);
});
