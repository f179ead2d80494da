import { expect, vi } from 'vitest';
import { cleanQueue, startQueueCleaning } from '#services/api/labels/queue-cleaning.ts';
import { labelJobOptions } from '#shared/printing/label-job.ts';
import type { PrintKind } from '#shared/printing/print-kinds.ts';
import { test as dashboardTest } from '#test/fixtures/dashboard/dashboard.ts';
import { label } from '#test/fixtures/labels/labels.ts';

const MINUTE = 60_000;
const ago = (minutes: number) => Date.now() - minutes * MINUTE;
const of = (number: string) => label({ number, recipient: { Calle: `Calle ${number}` } });
const OLD = '482913650727';
const YOUNG = '482913650728';

const test = dashboardTest
  /** All that Redis holds of the queue, as text. */
  .extend('held', async ({ jobs, stores: { redis } }) => async () => {
    const keys = await redis.keys(jobs.queue.toKey('*').replace(/[{}]/g, '\\$&'));
    const read: Record<string, (key: string) => Promise<unknown>> = {
      string: (key) => redis.get(key),
      hash: (key) => redis.hgetall(key),
      list: (key) => redis.lrange(key, 0, -1),
      set: (key) => redis.smembers(key),
      zset: (key) => redis.zrange(key, 0, '-1'),
      stream: (key) => redis.xrange(key, '-', '+'),
    };
    return JSON.stringify(
      await Promise.all(keys.map(async (key) => [key, await read[await redis.type(key)]?.(key)])),
    );
  });

test('a job that nobody takes is removed after five minutes, also paused', async ({ held, jobs }) => {
  await jobs.queue.pause();
  await jobs.waiting(of(OLD), { askedAt: ago(6) });
  await jobs.waiting(of(YOUNG), { askedAt: ago(4) });
  await jobs.queue.add('letter', { label: of(OLD) }, { jobId: 'x', priority: 5, timestamp: ago(6) });
  await jobs.queue.add('letter', { label: of(OLD) }, { jobId: 'y', delay: 10 * MINUTE, timestamp: ago(6) });
  await cleanQueue(jobs.queue, Date);
  expect(await jobs.queue.getJobCounts('wait', 'prioritized', 'delayed')).toEqual({
    wait: 0,
    prioritized: 1,
    delayed: 0,
  });
  expect(await held()).toContain(YOUNG);
  expect(await held()).not.toContain(OLD);
});

test('a thousand newer jobs before it keep no old one, nor do a thousand old ones', async ({
  held,
  jobs,
}) => {
  const { queue } = jobs;
  const addAll = (count: number, number: string, opts: object) =>
    queue.addBulk(
      Array.from({ length: count }, () => ({ name: 'letter', data: { label: of(number) }, opts })),
    );
  await addAll(1_000, YOUNG, { priority: 1, timestamp: ago(4) });
  await addAll(1, OLD, { priority: 5, timestamp: ago(6) });
  await addAll(1_001, OLD, { timestamp: ago(6) });
  await cleanQueue(queue, Date);
  expect(await queue.getJobCounts('wait', 'prioritized')).toEqual({ wait: 0, prioritized: 1_000 });
  expect(await held()).not.toContain(OLD);
  await queue.obliterate({ force: true });
});

test('an ended job is removed before the hour is over', async ({ held, jobs, stores }) => {
  const failed = await jobs.failed(of(OLD), new Error('browser-failed'));
  const done = await jobs.waiting({ ...of(OLD), kind: 'small' });
  await jobs.work(1, async () => ({ bytes: 1 }));
  await jobs.failed(of(YOUNG), new Error('browser-failed'));
  await cleanQueue(jobs.queue, Date);
  expect(await jobs.queue.getJobCounts('failed', 'completed')).toEqual({ failed: 2, completed: 1 });
  // They ended fifty minutes ago.
  await stores.redis.zadd(jobs.queue.toKey('failed'), ago(50), failed.id ?? '');
  await stores.redis.zadd(jobs.queue.toKey('completed'), ago(50), done.id ?? '');
  await cleanQueue(jobs.queue, Date);
  expect(await jobs.queue.getJobCounts('failed', 'completed')).toEqual({ failed: 1, completed: 0 });
  expect(await held()).toContain(YOUNG);
  expect(await held()).not.toContain(OLD);
});

test('a thousand ended jobs are kept, and none of a manifest', () => {
  const keptOf = (kind: PrintKind) => {
    const { removeOnComplete, removeOnFail } = labelJobOptions('key', 1, 0, kind);
    return [removeOnComplete, removeOnFail];
  };
  expect(keptOf('letter')).toEqual([{ count: 1_000 }, { count: 1_000 }]);
  expect(keptOf('manifest')).toEqual([true, true]);
});

test('a process whose clock is ten minutes ahead removes nothing too early', async ({ jobs }) => {
  await jobs.queue.drain();
  await jobs.waiting(of(YOUNG), { askedAt: ago(4) });
  const now = Date.now.bind(Date);
  const ahead = vi.spyOn(Date, 'now').mockImplementation(() => now() + 10 * MINUTE);
  try {
    await cleanQueue(jobs.queue, { now });
  } finally {
    ahead.mockRestore();
  }
  expect(await jobs.queue.getJobCounts('prioritized')).toEqual({ prioritized: 1 });
});

test('old jobs are removed without another job that ends', async ({ jobs }) => {
  const log = { info: vi.fn(), warn: vi.fn() };
  await jobs.waiting(of(OLD), { askedAt: ago(6) });
  const stop = startQueueCleaning(jobs.queue, Date, log);
  await expect.poll(() => jobs.queue.getJobCounts('prioritized')).toEqual({ prioritized: 0 });
  await stop();
  expect(log.warn).not.toHaveBeenCalled();
});
