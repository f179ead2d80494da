import { Worker } from 'bullmq';
import { expect, onTestFinished } from 'vitest';
import { LabelJobs } from '#services/api/labels/label-jobs.ts';
import { takeJoined, tellAnswer } from '#shared/contracts/label-answers.ts';
import { LABEL_QUEUE, type LabelJob, type LabelJobResult, labelKey } from '#shared/contracts/label-job.ts';
import { label } from '#test/fixtures/labels/labels.ts';
import { tellEnd } from '#test/fixtures/labels/pretended-worker.ts';
import { type Stores, test as storesTest } from '#test/fixtures/stores.ts';

/** Several api processes that wait for labels of one queue, and a worker whose prints the test ends. */
const test = storesTest.extend('waiting', { scope: 'file' }, ({ stores }) => (process: string) => {
  const { redis, prefix } = stores;
  const options = { process, redis, prefix, timeoutMs: 60_000, log: console, tracing: undefined };
  const jobs = new LabelJobs({ ...options, listening: redis.duplicate() }, async (keys) =>
    keys.map(() => false),
  );
  onTestFinished(() => jobs.close());
  const leaving = new AbortController();
  const data = { label: label(), requestId: `of ${process}` };
  return {
    print: (key: string) => jobs.print(key, data, 0, leaving.signal),
    leave: () => leaving.abort(),
  };
});

let labels = 0;
/** A label of its own for each test. */
const newKey = () => labelKey(label({ number: `${100_000_000_000 + labels++}` }));

/** Takes the jobs; each attempt ends as `print` does. */
function startWorker({ redis, prefix }: Stores, print: () => Promise<unknown>) {
  const connection = redis.duplicate({ maxRetriesPerRequest: null });
  let prints = 0;
  const worker = new Worker<LabelJob, LabelJobResult>(
    LABEL_QUEUE,
    async (job) => {
      prints++;
      await print();
      await tellEnd({ redis, prefix }, job);
      return { bytes: 1 };
    },
    { connection, prefix, concurrency: 10 },
  );
  worker.on('completed', async (job) => {
    const end = { printed: job.id?.split('.')[0] ?? '' };
    await tellAnswer(redis, prefix, await takeJoined(redis, prefix, job.id ?? ''), {
      jobId: job.id ?? '',
      end,
    });
  });
  onTestFinished(async () => {
    await worker.close();
    connection.disconnect();
  });
  return { worker, prints: () => prints };
}

/** Resolves when so many processes wait for the label's one job. @returns its id. */
async function joined({ redis, prefix }: Stores, key: string, processes: number): Promise<string> {
  const deduplication = `${prefix}:${LABEL_QUEUE}:de:${key}`;
  const count = async () => redis.scard(`${prefix}:label-joined:${await redis.get(deduplication)}`);
  await expect.poll(count, { timeout: 10_000 }).toBe(processes);
  return (await redis.get(deduplication)) ?? '';
}

test('a process that waited for the job of another one, and leaves, disturbs nobody', async ({
  stores,
  waiting,
}) => {
  const key = newKey();
  const [owner, second, third] = [waiting('owner'), waiting('second'), waiting('third')];
  const first = owner.print(key);
  await expect.poll(() => stores.redis.exists(`${stores.prefix}:${LABEL_QUEUE}:de:${key}`)).toBe(1);
  const [left, stayed] = [second.print(key), third.print(key)];
  await joined(stores, key, 2);
  second.leave();
  expect(await left).toBe('abandoned');
  expect(await joined(stores, key, 2)).toContain(key);
  const { prints } = startWorker(stores, async () => {});
  expect(await Promise.all([first, stayed])).toEqual([{ printed: key }, { printed: key }]);
  expect(prints()).toBe(1);
});

test('when the process whose job it is leaves, the others have the label printed', async ({
  stores,
  waiting,
}) => {
  const key = newKey();
  const [owner, second] = [waiting('owner'), waiting('second')];
  const first = owner.print(key);
  await expect.poll(() => stores.redis.exists(`${stores.prefix}:${LABEL_QUEUE}:de:${key}`)).toBe(1);
  const stayed = second.print(key);
  await joined(stores, key, 1);
  owner.leave();
  expect(await first).toBe('abandoned');
  startWorker(stores, async () => {});
  expect(await stayed).toEqual({ printed: key });
});

test('a job that failed once, and was then printed, is printed for whoever joins it at its end', async ({
  stores,
  waiting,
}) => {
  const key = newKey();
  const { redis, prefix } = stores;
  let attempts = 0;
  const { worker } = startWorker(stores, async () => {
    if (attempts++ === 0) throw new Error('browser-failed');
  });
  const ended = new Promise<string>((resolve) => worker.once('completed', ({ id = '' }) => resolve(id)));
  expect(await waiting('owner').print(key)).toEqual({ printed: key });
  // The job is found as under way by a process that asked for it a moment before its end.
  await redis.set(`${prefix}:${LABEL_QUEUE}:de:${key}`, await ended);
  expect(await waiting('second').print(key)).toEqual({ printed: key });
  await redis.del(`${prefix}:${LABEL_QUEUE}:de:${key}`);
});

test('an answer about an earlier job of the label settles nothing', async ({ stores, waiting }) => {
  const key = newKey();
  const { redis, prefix } = stores;
  const print = waiting('owner').print(key);
  await expect.poll(() => redis.exists(`${prefix}:${LABEL_QUEUE}:de:${key}`)).toBe(1);
  await tellAnswer(redis, prefix, ['owner'], { jobId: `${key}.earlier`, end: 'failed' });
  startWorker(stores, async () => {});
  expect(await print).toEqual({ printed: key });
});
