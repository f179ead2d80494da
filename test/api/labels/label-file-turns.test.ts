import { get } from 'node:http';
import { Queue } from 'bullmq';
import { expect } from 'vitest';
import { LABEL_QUEUE } from '#shared/contracts/label-job.ts';
import { Client, minimalGuide } from '#test/fixtures/client.ts';
import { pretendWorker } from '#test/fixtures/labels/pretended-worker.ts';
import { test as services } from '#test/fixtures/services.ts';
import { scrape } from '#test/fixtures/telemetry/metrics.ts';

/** What a file of many labels has in flight, and what it leaves to others. Nothing prints here. */
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
  /** Pages that `demo` has in flight. */
  .extend(
    'pages',
    { scope: 'file' },
    ({ stores }) =>
      async () =>
        Number(await stores.redis.get(`${stores.prefix}:pages-sum:demo`)),
  )
  .extend('idle', { scope: 'file' }, ({ queue, pages }) => async () => {
    await expect.poll(() => queue.count()).toBe(0);
    await expect.poll(pages).toBe(0);
  })
  .extend('numbers', { scope: 'file' }, async ({ demo }) =>
    (await demo.created(...Array.from({ length: 60 }, () => minimalGuide()))).map(
      ({ SEND_GUIA }) => SEND_GUIA,
    ),
  );

/** Asks for a file until `leave`. */
function askFile(client: Client, numbers: readonly string[]) {
  const leaving = new AbortController();
  const answer = client.labelFile(numbers, 'carta', '', leaving.signal).catch(() => undefined);
  return { answer, leave: () => leaving.abort() };
}

/** Asks for a label until `leave`. */
function ask(client: Client, path: string) {
  const asking = get(client.url + path, {
    agent: false,
    headers: { authorization: `Bearer ${client.token}` },
  });
  asking.on('error', () => {}); // whoever leaves gets no answer
  return { leave: () => asking.destroy() };
}

test('a file has eight pages in flight, behind all single labels; when its client leaves, none', async ({
  api,
  demo,
  idle,
  numbers,
  pages,
  queue,
}) => {
  const file = askFile(demo, numbers);
  await expect.poll(() => queue.count()).toBe(8);
  expect(await pages()).toBe(8);
  const [guide] = await demo.created(minimalGuide());
  const own = ask(demo, `/api/guias/etiqueta/${guide?.SEND_GUIA}`);
  await expect.poll(() => queue.count()).toBe(9);
  const other = await Client.login(api.url, 'otro');
  const [theirs] = await other.created(minimalGuide());
  const another = ask(other, `/api/guias/etiqueta-pequena/${theirs?.SEND_GUIA}?paquetes=99`);
  await expect.poll(() => queue.count()).toBe(10);
  const jobs = await queue.getJobs(['waiting', 'prioritized']);
  const behind = jobs.filter(({ data }) => data.behind);
  expect(behind.map(({ data }) => data.label.number).sort()).toEqual(numbers.slice(0, 8).sort());
  for (const { priority } of behind) expect(priority).toBeGreaterThan(25);
  for (const { data, priority } of jobs) if (!data.behind) expect(priority).toBe(0);

  file.leave();
  await expect.poll(() => queue.count()).toBe(2);
  await expect.poll(pages).toBe(1);
  own.leave();
  another.leave();
  await idle();
});

test('an account has one file at a time; four wait, and the next is refused', async ({
  api,
  demo,
  idle,
  numbers,
  queue,
}) => {
  const files = Array.from({ length: 5 }, () => askFile(demo, numbers));
  await expect.poll(() => queue.count()).toBe(8);
  const { status, headers, body } = await demo.post('/api/guias/etiquetas', {
    Guias: numbers,
    Tipo: 'carta',
  });
  expect(status).toBe(429);
  expect(headers.get('retry-after')).toBe('4');
  expect(body).toEqual({
    response: 'ERROR',
    message: 'Demasiadas etiquetas a la vez, intente mas tarde',
    codigo: 'cuota_excedida',
    requestId: expect.any(String),
  });
  expect((await scrape(api.url)).get('quota_refusals_total{limit="pages"}')).toBe(1);
  expect(await queue.count()).toBe(8);

  // Another account's file has its own window.
  const other = await Client.login(api.url, 'otro');
  const theirs = await other.created(...Array.from({ length: 20 }, () => minimalGuide()));
  const file = askFile(
    other,
    theirs.map(({ SEND_GUIA }) => SEND_GUIA),
  );
  await expect.poll(() => queue.count()).toBe(16);
  file.leave();
  for (const { leave } of files.splice(1)) leave();
  files[0]?.leave();
  await idle();
});

test('a file waits while other labels of its account take all pages, and is not counted as refused', async ({
  api,
  demo,
  idle,
  numbers,
  queue,
}) => {
  const refused = async () => (await scrape(api.url)).get('quota_refusals_total{limit="pages"}');
  const before = await refused();
  const large = ask(demo, `/api/guias/etiqueta-pequena/${numbers[0]}?paquetes=99`);
  await expect.poll(() => queue.count()).toBe(1);
  const file = askFile(demo, numbers);
  await expect.poll(() => queue.count()).toBe(2); // the hundredth page
  expect(await refused()).toBe(before);
  large.leave();
  await expect.poll(() => queue.count()).toBe(8);
  file.leave();
  await idle();
});

test('a file that is not printed in time is late; one for which there was no room is told so', async ({
  demo,
  idle,
  numbers,
  queue,
  startApi,
}) => {
  const hasty = new Client((await startApi({ LABEL_FILE_TIMEOUT_MS: '300' })).url, demo.token);
  const late = await hasty.post('/api/guias/etiquetas', { Guias: numbers, Tipo: 'carta' });
  expect(late.status).toBe(500);
  expect(late.headers.get('retry-after')).toBe('2');
  expect(late.headers.get('content-disposition')).toBeNull();
  expect(late.body).toEqual({
    response: 'ERROR',
    message: 'Error al generar la etiqueta',
    codigo: 'etiqueta_tardia',
    requestId: expect.any(String),
  });
  expect((await scrape(hasty.url)).get('label_failures_total{reason="late"}')).toBe(1);
  await idle();

  const large = [50, 50].map((packages, i) =>
    ask(demo, `/api/guias/etiqueta-pequena/${numbers[i]}?paquetes=${packages}`),
  );
  await expect.poll(() => queue.count()).toBe(2);
  const full = await hasty.post('/api/guias/etiquetas', { Guias: numbers, Tipo: 'carta' });
  expect([full.status, full.body.codigo]).toEqual([429, 'cuota_excedida']);
  for (const { leave } of large) leave();
  await idle();
});

test('a file is refused where no label worker is alive', async ({ demo, numbers, startApi, stores }) => {
  const REDIS_PREFIX = stores.prefix.replace('}', '-none}');
  const api = await startApi({ REDIS_PREFIX, LABEL_FILE_TIMEOUT_MS: '200' });
  const client = new Client(api.url, demo.token);
  const status = async () =>
    (await client.post('/api/guias/etiquetas', { Guias: numbers, Tipo: 'carta' })).status;
  // A worker may be on its way for seven seconds, as in a rolling restart.
  await expect.poll(status, { timeout: 20_000 }).toBe(503);
});

test('a client that leaves while its file waits for another one gives its place to the next', async ({
  demo,
  idle,
  numbers,
  queue,
}) => {
  const first = askFile(demo, numbers.slice(0, 3));
  await expect.poll(() => queue.count()).toBe(3);
  const waiting = askFile(demo, numbers.slice(10, 15));
  const last = askFile(demo, numbers.slice(20, 22));
  waiting.leave();
  await waiting.answer;
  first.leave();
  await expect
    .poll(async () =>
      (await queue.getJobs(['waiting', 'prioritized'])).map(({ data }) => data.label.number).sort(),
    )
    .toEqual(numbers.slice(20, 22).sort());
  last.leave();
  await idle();
});
