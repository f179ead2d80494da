import { expect } from 'vitest';
import { LabelFiles } from '#services/api/labels/label-files.ts';
import { FRESH_MS } from '#shared/printing/label-job.ts';
import { Client, minimalGuide } from '#test/fixtures/client.ts';
import { ask, test as awaitedTest } from '#test/fixtures/labels/awaited-labels.ts';
import { passTime } from '#test/fixtures/pass-time.ts';
import { scrape } from '#test/fixtures/telemetry/metrics.ts';

/** What a file of many labels has in flight, and what it leaves to others. Nothing prints here. */
const test = awaitedTest.extend('numbers', { scope: 'file' }, async ({ demo }) =>
  (await demo.created(...Array.from({ length: 60 }, () => minimalGuide()))).map(({ SEND_GUIA }) => SEND_GUIA),
);

/** Asks for a file until `leave`. */
function askFile(client: Client, numbers: readonly string[]) {
  const leaving = new AbortController();
  const answer = client.labelFile(numbers, 'carta', '', leaving.signal).catch(() => undefined);
  return { answer, leave: () => leaving.abort() };
}

test('a file has 50 pages in flight behind single labels', async ({ api, demo, awaited, numbers, queue }) => {
  const file = askFile(demo, numbers);
  await expect.poll(awaited).toBe(50);
  const other = await Client.login(api.url, 'otro');
  const [theirs] = await other.created(minimalGuide());
  const single = ask(other, theirs?.SEND_GUIA ?? '', 9);
  await expect.poll(awaited).toBe(51);
  await expect.poll(() => queue.getPrioritizedCount()).toBe(51);
  const [first] = await queue.getJobs(['prioritized'], 0, 0, true);
  expect(first?.data.label.number).toBe(theirs?.SEND_GUIA);
  file.leave();
  await expect.poll(awaited).toBe(1);
  single.leave();
  await expect.poll(awaited).toBe(0);
});

test('an account has three files at a time, not four', async ({ api, demo, awaited, numbers }) => {
  const files = [0, 1, 2].map((first) => askFile(demo, numbers.slice(10 * first, 10 * first + 5)));
  await expect.poll(awaited).toBe(15);
  const wanted = { Guias: numbers, Tipo: 'carta' };
  const { status, headers, body } = await demo.post('/api/guias/etiquetas', wanted);
  expect(status).toBe(429);
  expect(headers.get('retry-after')).toBe('4');
  expect(body.codigo).toBe('cuota_excedida');
  expect((await scrape(api.url)).get('quota_refusals_total{limit="pages"}')).toBe(1);

  // Another account has files of its own.
  const other = await Client.login(api.url, 'otro');
  const theirs = await other.created(...Array.from({ length: 20 }, () => minimalGuide()));
  const others = theirs.map(({ SEND_GUIA }) => SEND_GUIA);
  files.push(askFile(other, others));
  await expect.poll(awaited).toBe(35);
  files.shift()?.leave();
  await expect.poll(awaited).toBe(30);
  files.push(askFile(demo, numbers.slice(50, 55)));
  await expect.poll(awaited).toBe(35);
  for (const { leave } of files) leave();
  await expect.poll(awaited).toBe(0);
});

test('a process has thirty files at a time, and the next is refused until one is over', async () => {
  const labels = { get: () => Promise.reject(new Error('There are no labels')), inCache: async () => [] };
  const files = new LabelFiles({ labels, timeoutMs: 60_000 });
  const join = (account: string, gone = new AbortController().signal) =>
    files.join(
      { account, maxPages: 300, requestId: '', signal: gone },
      { title: '', format: 'zpl' },
      async () => [],
    );
  const over = new AbortController();
  await join('account-0', over.signal);
  for (let i = 1; i < 30; i++) await join(`account-${i % 10}`);
  await expect(join('another')).rejects.toMatchObject({ code: 'overloaded', params: { seconds: 4 } });
  over.abort();
  await join('another');
});

test('a file waits for other labels of its account', async ({ api, demo, awaited, numbers }) => {
  const refused = async () => (await scrape(api.url)).get('quota_refusals_total{limit="pages"}');
  const before = await refused();
  const large = ask(demo, numbers[0] ?? '', 99);
  await expect.poll(awaited).toBe(1);
  const file = askFile(demo, numbers);
  await expect.poll(awaited).toBe(2); // the hundredth page
  expect(await refused()).toBe(before);
  large.leave();
  await expect.poll(awaited).toBe(50);
  file.leave();
  await expect.poll(awaited).toBe(0);
});

test('a file is late, or has found no room in time', async ({ demo, awaited, numbers, startApi }) => {
  const hasty = new Client((await startApi({}, { file: 300 })).url, demo.token);
  const late = await hasty.post('/api/guias/etiquetas', { Guias: numbers, Tipo: 'carta' });
  expect(late.status).toBe(500);
  expect(late.headers.get('retry-after')).toBe('2');
  expect(late.headers.get('content-disposition')).toBeNull();
  expect(late.body).toMatchObject({ message: 'Error al generar la etiqueta', codigo: 'etiqueta_tardia' });
  expect((await scrape(hasty.url)).get('label_failures_total{reason="late"}')).toBe(1);
  await expect.poll(awaited).toBe(0);
  passTime(FRESH_MS); // for which the pages of the late file are counted

  const large = [50, 50].map((packages, i) => ask(hasty, numbers[i] ?? '', packages));
  await expect.poll(awaited).toBe(2);
  const full = await hasty.post('/api/guias/etiquetas', { Guias: numbers, Tipo: 'carta' });
  expect([full.status, full.body.codigo]).toEqual([429, 'cuota_excedida']);
  for (const { leave } of large) leave();
  await expect.poll(awaited).toBe(0);
});
