import { UnrecoverableError } from 'bullmq';
import { expect, onTestFinished } from 'vitest';
import { pdfFile } from '#services/label-worker/pdf/split.ts';
import { catalog, information, pageTree } from '#shared/pdf/pdf-writer.ts';
import { type Client, minimalGuide } from '#test/fixtures/client.ts';
import { pretendPrinter } from '#test/fixtures/labels/pretended-worker.ts';
import { test } from '#test/fixtures/services.ts';
import type { Stores } from '#test/fixtures/stores.ts';
import { scrape } from '#test/fixtures/telemetry/metrics.ts';

/** A file of which labels fail, or go, at a moment that the test chooses: its own worker "prints" an empty page for each. */

const EMPTY_PAGE = pdfFile([
  catalog(),
  pageTree([4]),
  information('x'),
  ['<</Type /Page /Parent 2 0 R /MediaBox [0 0 612 792]>>\nendobj\n'],
]);

/** Prints until the test ends. @returns the numbers of the guides in the order in which they were printed. */
async function startWorker(
  stores: Stores,
  beforeStore: (number: string, prints: string[]) => Promise<void>,
): Promise<string[]> {
  const prints: string[] = [];
  onTestFinished(
    await pretendPrinter(stores, async ({ data }) => {
      prints.push(data.label.number);
      await beforeStore(data.label.number, prints);
      return EMPTY_PAGE;
    }),
  );
  return prints;
}

async function newNumbers(client: Client, count: number): Promise<string[]> {
  const guides = await client.created(...Array.from({ length: count }, () => minimalGuide()));
  return guides.map(({ SEND_GUIA }) => SEND_GUIA);
}

/** Removes a finished label, as a full cache does. */
async function evict({ cache, prefix }: Stores, client: Client, number = ''): Promise<void> {
  const { headers } = await client.pdf(`/api/guias/etiqueta/${number}`);
  await cache.del(`${prefix}:label:${headers.get('etag')?.slice('W/"'.length, -1)}`);
}

const pagesOf = (pdf: Buffer) => pdf.toString('latin1').match(/\/Type \/Page\b/g)?.length;

test('a label that leaves the cache while others are printed is printed again', async ({ demo, stores }) => {
  const [first = '', last = ''] = await newNumbers(demo, 2);
  const prints = await startWorker(stores, async (number) => {
    if (number === last) await evict(stores, demo, first);
  });
  expect((await demo.labelFile([first])).status).toBe(200);
  const { status, bytes } = await demo.labelFile([first, last]);
  expect([status, pagesOf(bytes)]).toEqual([200, 2]);
  expect(prints).toEqual([first, last, first]);
});

test('where such a label cannot be printed again, the connection is cut', async ({ api, demo, stores }) => {
  const numbers = await newNumbers(demo, 40);
  const [later, last] = [numbers[30], numbers[39]];
  let gone = false;
  await startWorker(stores, async (number) => {
    if (number === last) {
      await evict(stores, demo, later);
      gone = true;
    } else if (gone) throw new UnrecoverableError('label-unprintable');
  });
  expect((await demo.labelFile(numbers.slice(0, 39))).status).toBe(200);
  const failed = async () => (await scrape(api.url)).get('label_failures_total{reason="failed"}') ?? 0;
  const before = await failed();
  await expect(demo.labelFile(numbers)).rejects.toThrow('terminated');
  expect((await failed()) - before).toBe(1);
});

test('a label that cannot be printed is named, the others are kept', async ({ api, demo, stores }) => {
  const numbers = await newNumbers(demo, 3);
  let bad = numbers[1];
  const prints = await startWorker(stores, async (number, printed) => {
    if (number !== bad) return;
    await expect.poll(() => printed.length).toBe(3); // the others have begun
    await expect
      .poll(async () => (await stores.cache.keys(`${stores.prefix}:label:*`)).length)
      .toBe(kept + 2);
    throw new UnrecoverableError('label-unprintable');
  });
  const kept = (await stores.cache.keys(`${stores.prefix}:label:*`)).length;
  const failed = async () => (await scrape(api.url)).get('label_failures_total{reason="failed"}') ?? 0;
  const before = await failed();
  const { status, body } = await demo.post('/api/guias/etiquetas', { Guias: numbers, Tipo: 'carta' });
  const problem = { codigo: 'etiqueta_fallida', message: 'Error al generar la etiqueta' };
  expect([status, body]).toMatchObject([500, { ...problem, details: [{ indice: 1, ...problem }] }]);
  expect((await failed()) - before).toBe(1);
  bad = undefined;
  expect((await demo.labelFile(numbers)).status).toBe(200);
  expect(prints.slice(3)).toEqual([numbers[1]]);
});

test('when the client leaves, what is printed is kept, and no more', async ({ demo, stores }) => {
  const numbers = await newNumbers(demo, 60);
  const leaving = new AbortController();
  const held = Promise.withResolvers<void>();
  const prints = await startWorker(stores, async (number) => {
    if (number !== numbers[0]) return held.promise;
  });
  const file = demo.labelFile(numbers, 'carta', '', leaving.signal);
  await expect.poll(() => prints.length).toBe(51); // one is done, so that the window moved on
  leaving.abort();
  await expect(file).rejects.toThrow();
  held.resolve();
  expect((await demo.labelFile(numbers.slice(0, 51))).status).toBe(200);
  expect(prints.toSorted()).toEqual(numbers.slice(0, 51).toSorted());
});
