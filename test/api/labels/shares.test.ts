import { once } from 'node:events';
import { get } from 'node:http';
import { connect } from 'node:net';
import { Queue } from 'bullmq';
import { expect } from 'vitest';
import { keyOfJob, LABEL_QUEUE } from '#shared/contracts/label-job.ts';
import { labelWriter } from '#shared/contracts/label-store.ts';
import { Client, minimalGuide } from '#test/fixtures/client.ts';
import { pretendWorker } from '#test/fixtures/labels/pretended-worker.ts';
import { test as services } from '#test/fixtures/services.ts';
import { scrape } from '#test/fixtures/telemetry/metrics.ts';

/** What an account may have in flight, and what becomes of labels that nobody waits for. Nothing prints here. */
const test = services
  .override('settings', { LABEL_PAGES_PER_ACCOUNT: '100', LABEL_TIMEOUT_MS: '60000' })
  .extend('pretended', { scope: 'file', auto: true }, async ({ stores }, { onCleanup }) => {
    onCleanup(await pretendWorker(stores));
  })
  .extend('queue', { scope: 'file' }, ({ stores }, { onCleanup }) => {
    const queue = new Queue(LABEL_QUEUE, { connection: stores.redis, prefix: stores.prefix });
    onCleanup(() => queue.close());
    return queue;
  })
  /** Waits until nothing is in flight. */
  .extend('idle', { scope: 'file' }, ({ queue, stores }) => async () => {
    await expect.poll(() => queue.count()).toBe(0);
    const sums = () => stores.redis.mget(['demo', 'otro'].map((account) => pagesKey(stores.prefix, account)));
    await expect.poll(async () => (await sums()).every((sum) => Number(sum) === 0)).toBe(true);
  });

const pagesKey = (prefix: string, account: string) => `${prefix}:pages-sum:${account}`;

/** Asks for a small label of so many packages of a new guide, until `leave`. */
async function ask(client: Client, packages: number, number?: string) {
  const guide = number ?? (await client.created(minimalGuide()))[0]?.SEND_GUIA ?? '';
  const url = `${client.url}/api/guias/etiqueta-pequena/${guide}?paquetes=${packages}`;
  const asking = get(url, { agent: false, headers: { authorization: `Bearer ${client.token}` } });
  asking.on('error', () => {}); // whoever leaves gets no answer
  return { guide, leave: () => asking.destroy() };
}

test('an account with too many pages in flight is refused, in all processes, until they are done', async ({
  api,
  demo,
  idle,
  queue,
  startApi,
}) => {
  const large = await ask(demo, 99);
  await expect.poll(() => queue.count()).toBe(1);
  const colleague = await Client.login((await startApi()).url, 'demo2');
  for (const client of [demo, colleague]) {
    const { status, headers, body } = await client.get(
      `/api/guias/etiqueta-pequena/${large.guide}?paquetes=2`,
    );
    expect(status).toBe(429);
    expect(headers.get('retry-after')).toBe('1');
    expect(headers.get('ratelimit-policy')).toContain('"etiquetas";q=100');
    expect(headers.get('ratelimit')).toContain('"etiquetas";r=0');
    expect(body).toEqual({
      response: 'ERROR',
      message: 'Demasiadas etiquetas a la vez, intente mas tarde',
      codigo: 'cuota_excedida',
      requestId: expect.any(String),
    });
  }
  expect((await scrape(api.url)).get('quota_refusals_total{limit="pages"}')).toBe(1);

  const other = await ask(await Client.login(api.url, 'otro'), 99);
  await expect.poll(() => queue.count()).toBe(2);
  other.leave();
  large.leave();
  await idle();
  const again = await ask(colleague, 99);
  await expect.poll(() => queue.count()).toBe(1);
  again.leave();
  await idle();
});

test('a label is not printed for a client that left while the guide was looked up', async ({
  api,
  demo,
  idle,
  queue,
}) => {
  const [guide] = await demo.created(minimalGuide());
  const request = [
    `GET /api/guias/etiqueta/${guide?.SEND_GUIA} HTTP/1.1`,
    'Host: api',
    `Authorization: Bearer ${demo.token}`,
  ];
  for (let i = 0; i < 20; i++) {
    const socket = connect(Number(new URL(api.url).port), '127.0.0.1');
    await once(socket, 'connect');
    socket.write(`${request.join('\r\n')}\r\n\r\n`, () => socket.destroy());
    await once(socket, 'close');
  }
  // Whoever asks after them has a job after theirs would have been added.
  const last = await ask(demo, 1);
  await expect.poll(() => queue.count()).toBeGreaterThan(0);
  last.leave();
  await idle();
});

test('a label of more pages than an account may have in flight is printed when it is the only one', async ({
  idle,
  queue,
  startApi,
}) => {
  const api = await startApi({ LABEL_PAGES_PER_ACCOUNT: '10' });
  const label = await ask(await Client.login(api.url), 99);
  await expect.poll(() => queue.count()).toBe(1);
  label.leave();
  await idle();
});

test('the first labels of an account go before the further ones of another', async ({
  api,
  demo,
  idle,
  queue,
}) => {
  const greedy = [await ask(demo, 30)];
  await expect.poll(() => queue.count()).toBe(1);
  greedy.push(await ask(demo, 40));
  await expect.poll(() => queue.count()).toBe(2);
  const modest = await ask(await Client.login(api.url, 'otro'), 1);
  await expect.poll(() => queue.count()).toBe(3);
  const jobs = await queue.getJobs(['waiting', 'prioritized']);
  const order = jobs
    .sort((one, other) => one.priority - other.priority)
    .map(({ data, priority }) => [data.label.packages, priority]);
  expect(order.sort()).toEqual([
    [1, 0],
    [30, 0],
    [40, 30],
  ]);
  for (const label of [...greedy, modest]) label.leave();
  await idle();
});

test('a label is printed for those who still wait for it when those who asked first are gone', async ({
  demo,
  idle,
  queue,
  startApi,
  stores,
}) => {
  const labels = labelWriter(stores.redis, stores.prefix, { ttlS: 60, budget: () => 1e6 });
  const colleague = await Client.login((await startApi()).url, 'demo2');
  const first = await ask(demo, 5);
  await expect.poll(() => queue.count()).toBe(1);
  const [before] = await queue.getJobs(['waiting']);
  const second = await ask(colleague, 5, first.guide);
  // A second reservation is the sign that the second process waits too.
  await expect.poll(() => stores.redis.get(pagesKey(stores.prefix, 'demo'))).toBe('10');
  first.leave();
  await expect
    .poll(async () => (await queue.getJobs(['waiting'])).map(({ id }) => id))
    .not.toEqual([before?.id]);
  await expect.poll(() => queue.count()).toBe(1);

  const [job] = await queue.getJobs(['waiting']);
  await labels.store(keyOfJob(job?.id ?? ''), Buffer.from('%PDF-1.4 printed'));
  second.leave();
  await idle();
});
