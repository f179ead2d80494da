import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Rasterizer } from '#services/label-worker/images/rasterizer.ts';
import { pdfFile } from '#services/label-worker/pdf/split.ts';
import type { ImageFormat } from '#shared/labels/label-payload.ts';
import { catalog, information, pageTree } from '#shared/pdf/pdf-writer.ts';

/** The thread that draws pages is replaced when it dies or hangs, and accounts take turns at it. */

const PNG_FORMAT: ImageFormat = { format: 'png', dpi: 203 };
const order = { place: 1, key: 'key', askedAt: performance.now() };

/** A PDF of empty pages, an inch high. */
function pdfOf(pages = 1, width = 72): Uint8Array {
  const numbers = Array.from({ length: pages }, (_, page) => 4 + page);
  const page = [`<</Type /Page /Parent 2 0 R /MediaBox [0 0 ${width} 72]>>\nendobj\n`];
  return pdfFile([catalog(), pageTree(numbers), information('x'), ...numbers.map(() => page)]);
}

function printer(timeoutMs = 20_000): Rasterizer {
  const images = new Rasterizer({ timeoutMs });
  onTestFinished(() => images.close());
  return images;
}

/** The next thread that is started in this process. */
async function nextThread(): Promise<Worker> {
  const [thread] = await once(process, 'worker');
  return thread;
}

test('a page whose thread is killed fails, and the next one is drawn by another thread', async () => {
  const images = printer();
  const pdf = pdfOf();
  const started = nextThread();
  const printed = images.rasterize(pdf, 1, PNG_FORMAT, order);
  void (await started).terminate();
  await expect(printed).rejects.toMatchObject({ code: 'image-failed' });
  expect((await images.rasterize(pdf, 1, PNG_FORMAT, order)).length).toBeGreaterThan(50);
});

test('a thread that takes too long is ended', async () => {
  const images = printer(1); // starting PDFium takes longer
  const started = nextThread();
  const printed = images.rasterize(pdfOf(), 1, PNG_FORMAT, order);
  const ended = once(await started, 'exit');
  await expect(printed).rejects.toMatchObject({ code: 'image-failed', cause: { name: 'TimeoutError' } });
  await ended;
});

test.for([
  ['is no PDF', () => Buffer.from('%PDF-1.4 broken')],
  ['is larger than two letters', () => pdfOf(1, 100_000)],
] as const)('what %s fails, and the next page is drawn', async ([, bad]) => {
  const images = printer();
  await expect(images.rasterize(bad(), 1, PNG_FORMAT, order)).rejects.toMatchObject({ code: 'image-failed' });
  expect((await images.rasterize(pdfOf(), 1, PNG_FORMAT, order)).length).toBeGreaterThan(50);
});

test('pages are drawn in the order of their places', async () => {
  const images = printer();
  const pdf = pdfOf();
  const drawn: string[] = [];
  const print = (name: string, place: number) =>
    images.rasterize(pdf, 1, PNG_FORMAT, { ...order, place }).then(() => drawn.push(name));
  await Promise.all([print('begun', 3), print('later', 3), print('later', 3), print('first', 2)]);
  expect(drawn).toEqual(['begun', 'first', 'later', 'later']);
});

test('pages that nobody waits for any more are not drawn', async () => {
  const awaited = vi.fn(async () => [awaited.mock.calls.length < 3]);
  const images = new Rasterizer({ timeoutMs: 20_000, awaited });
  onTestFinished(() => images.close());
  const asked = { ...order, askedAt: performance.now() - 2_000 };
  const printed = images.rasterize(pdfOf(5), 5, { ...PNG_FORMAT, format: 'zpl' }, asked);
  await expect(printed).rejects.toMatchObject({ code: 'label-unwanted' });
  expect(awaited.mock.calls).toEqual([[['key']], [['key']], [['key']]]);
});
