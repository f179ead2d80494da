import { Redis } from 'ioredis';
import { expect } from 'vitest';
import {
  type Answer,
  AnswerLog,
  answersOfGuide,
  answersOfRequest,
  MAX_ANSWERS,
} from '#shared/stores/answer-log.ts';
import { startProxy } from '#test/faults/system/proxy.ts';
import { test as stores } from '#test/fixtures/stores.ts';

const answer = (requestId: string): Omit<Answer, 'guides' | 'count'> => ({
  ...{ at: 1, ms: 2, requestId, account: 'tienda', asked: 'label', status: 503 },
});
const quiet = { info: () => {}, warn: () => {} };
const idsOf = (answers: Answer[]) => answers.map(({ requestId }) => requestId);

/** Tests with a log whose Redis can be cut off. */
const test = stores
  .extend('proxy', async ({ stores: { labelCacheUrl } }, { onCleanup }) => {
    const proxy = await startProxy(() => Number(new URL(labelCacheUrl).port));
    onCleanup(() => proxy.close());
    return proxy;
  })
  .extend('log', ({ stores: { labelCacheUrl, prefix }, proxy }, { onCleanup }) => {
    const url = Object.assign(new URL(labelCacheUrl), { port: `${proxy.port}` }).href;
    const redis = new Redis(url, { commandTimeout: 3_000, maxRetriesPerRequest: 0 });
    redis.on('error', () => {});
    onCleanup(() => redis.disconnect());
    return new AnswerLog(redis, prefix, quiet);
  });

test('answers of an outage are kept when the Redis is back, the newest first', async ({
  log,
  proxy,
  stores,
}) => {
  const thaw = proxy.freeze();
  for (const id of ['one', 'two']) log.add(answer(id), ['g-1'], ['g-1']);
  await log.write();
  expect(await answersOfGuide(stores.cache, stores.prefix, 'g-1')).toEqual([]);
  thaw();
  const kept = () => answersOfGuide(stores.cache, stores.prefix, 'g-1').then(idsOf);
  await expect.poll(kept, { timeout: 20_000 }).toEqual(['two', 'one']);
});

test('a guide has the last answers alone, each request its own', async ({
  log,
  stores: { cache, prefix },
}) => {
  for (let i = 1; i <= MAX_ANSWERS + 5; i++) log.add(answer(`r-${i}`), ['g-2'], ['g-2']);
  await log.write();
  const kept = idsOf(await answersOfGuide(cache, prefix, 'g-2'));
  expect([kept.length, kept[0], kept.at(-1)]).toEqual([MAX_ANSWERS, `r-${MAX_ANSWERS + 5}`, 'r-6']);
  expect(idsOf(await answersOfRequest(cache, prefix, 'r-1'))).toEqual(['r-1']);
});

test('too many answers that wait drop the oldest', async ({ log, proxy, stores: { cache, prefix } }) => {
  const thaw = proxy.freeze();
  for (let i = 0; i < 20_001; i++) log.add({ ...answer(`many-${i}`), account: `tienda-${i % 100}` }, [], []);
  thaw();
  await log.write();
  const kept = async (id: string) => (await answersOfRequest(cache, prefix, id)).length;
  await expect.poll(() => kept('many-20000'), { timeout: 20_000 }).toBe(1);
  expect([await kept('many-0'), await kept('many-1000'), await kept('many-1001')]).toEqual([0, 0, 1]);
});

test('an account that floods displaces no other account, and is kept again after it', async ({
  log,
  stores: { cache, prefix },
}) => {
  for (let i = 0; i < 700; i++) log.add({ ...answer(`flood-${i}`), account: 'flood' }, [], []);
  log.add(answer('quiet'), [], []);
  await log.write();
  const kept = async (id: string) => (await answersOfRequest(cache, prefix, id)).length;
  expect(await Promise.all(['flood-599', 'flood-600', 'quiet'].map(kept))).toEqual([1, 0, 1]);
  log.add({ ...answer('calm'), account: 'flood' }, [], []);
  await log.write();
  expect(await kept('calm')).toBe(1);
});
