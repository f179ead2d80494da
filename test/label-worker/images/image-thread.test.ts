import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { PDFDocument } from '@cantoo/pdf-lib';
import { expect, onTestFinished, test, vi } from 'vitest';
import { ImagePrinter } from '#services/label-worker/images/image-printer.ts';
import type { LabelForm } from '#shared/contracts/label-job.ts';

/** The thread that draws pages is replaced when it dies or hangs, and accounts take turns at it. */

const FORM: LabelForm = { format: 'png', dpi: 203 };
const order = { account: '', behind: false, wanted: async () => true };

/** A PDF of empty pages, an inch high. */
async function pdfOf(pages = 1, width = 72): Promise<Uint8Array> {
  const document = await PDFDocument.create();
  for (let page = 0; page < pages; page++) document.addPage([width, 72]);
  return document.save();
}

function printer(timeoutMs = 20_000): ImagePrinter {
  const images = new ImagePrinter({ timeoutMs });
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
  const pdf = await pdfOf();
  const started = nextThread();
  const printed = images.print(pdf, 1, FORM, order);
  void (await started).terminate();
  await expect(printed).rejects.toMatchObject({ code: 'image-failed' });
  expect((await images.print(pdf, 1, FORM, order)).length).toBeGreaterThan(50);
});

test('a thread that dies while nothing is drawn fails no page', async () => {
  const images = printer();
  const pdf = await pdfOf();
  const started = nextThread();
  await images.print(pdf, 1, FORM, order);
  await (await started).terminate();
  expect((await images.print(pdf, 1, FORM, order)).length).toBeGreaterThan(50);
});

test('a thread that takes too long is ended', async () => {
  const images = printer(1); // starting PDFium takes longer
  const started = nextThread();
  const printed = images.print(await pdfOf(), 1, FORM, order);
  const ended = once(await started, 'exit');
  await expect(printed).rejects.toMatchObject({ code: 'image-failed', cause: { name: 'TimeoutError' } });
  await ended;
});

test.for([
  ['is no PDF', async () => Buffer.from('%PDF-1.4 broken')],
  ['is larger than two letters', () => pdfOf(1, 100_000)],
] as const)('what %s fails, and the next page is drawn', async ([, bad]) => {
  const images = printer();
  await expect(images.print(await bad(), 1, FORM, order)).rejects.toMatchObject({ code: 'image-failed' });
  expect((await images.print(await pdfOf(), 1, FORM, order)).length).toBeGreaterThan(50);
});

test('accounts take turns: one page does not wait for the many of another', async () => {
  const images = printer();
  const pdf = await pdfOf();
  const drawn: string[] = [];
  const print = (account: string) =>
    images.print(pdf, 1, FORM, { ...order, account }).then(() => drawn.push(account));
  await Promise.all([...Array.from({ length: 6 }, () => print('many')), print('one')]);
  expect(drawn.indexOf('one')).toBeLessThanOrEqual(2);
});

test('pages that nobody waits for any more are not drawn', async () => {
  const wanted = vi.fn(async () => wanted.mock.calls.length < 3);
  const printed = printer().print(await pdfOf(5), 5, { ...FORM, format: 'zpl' }, { ...order, wanted });
  await expect(printed).rejects.toMatchObject({ code: 'label-unwanted' });
  expect(wanted).toHaveBeenCalledTimes(3);
});

test('a printer that is closed draws no more', async () => {
  const images = printer();
  const pdf = await pdfOf();
  await images.print(pdf, 1, FORM, order);
  await images.close();
  await expect(images.print(pdf, 1, FORM, order)).rejects.toMatchObject({ code: 'image-failed' });
});
