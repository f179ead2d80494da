import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { describe, expect } from 'vitest';
import { printUnderlays } from '#services/label-worker/batching/print-underlays.ts';
import type { LabelPages } from '#services/label-worker/pdf/content-streams.ts';
import { split } from '#services/label-worker/pdf/split.ts';
import { readUnderlay } from '#services/label-worker/pdf/underlay.ts';
import { UnsupportedPdfError } from '#shared/pdf/read-pdf.ts';
import { checkPdf } from '#test/fixtures/labels/pictures.ts';
import { test } from '#test/fixtures/labels/printed-batch.ts';

const tool = (name: string, args: string[], pdf: Uint8Array) =>
  execFileSync(name, args, { input: pdf, maxBuffer: 2 ** 28 });
/** The picture of each page, as a printer would print it. */
const pixels = (pdf: Uint8Array) => tool('pdftoppm', ['-r', '203', '-gray', '-'], pdf);
const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const edited = (print: Uint8Array, from: string | RegExp, to: string) =>
  Buffer.from(Buffer.from(print).toString('latin1').replace(from, to), 'latin1');
/** As a PDF with object streams: its table is a stream, too. */
const withoutTable = (print: Uint8Array) => edited(print, '\nxref\n', '\n9 0 obj\n');
/** The label, with nothing of ours on its pages. */
const bare = ({ title, drawing }: LabelPages): LabelPages => ({
  title,
  drawing: { shared: [], pages: drawing.pages.map(() => []) },
  letters: [],
});

describe('a print that is split', () => {
  test('gives each label its own pages, as Chromium printed them', async ({ batch: { print, labels } }) => {
    const files = split(print, labels.map(bare));
    expect(digest(Buffer.concat(files.map(pixels)))).toBe(digest(pixels(print)));
    const texts = files.map((file) => tool('pdftotext', ['-layout', '-', '-'], file));
    expect(Buffer.concat(texts).equals(tool('pdftotext', ['-layout', '-', '-'], print))).toBe(true);
    for (const file of files) await checkPdf(file);
  });

  test('gives files with a language, for a printer that scales nothing', ({ batch: { print, labels } }) => {
    const [file] = split(print, labels);
    const text = Buffer.from(file as Uint8Array).toString('latin1');
    expect(text).toContain('/Lang (es-MX)');
    expect(text).toContain('/PrintScaling /None');
  });

  test('is the same file each time', ({ batch: { print, labels } }) => {
    const [one, other] = [split(print, labels), split(print, labels)];
    expect(one.every((file, i) => Buffer.from(file).equals(other[i] as Uint8Array))).toBe(true);
  });

  test('is refused when its pages are not those of its labels', ({ batch: { print, labels } }) => {
    expect(() => split(print, labels.slice(1))).toThrow(/pages, not/);
  });
});

describe('an underlay', () => {
  test('looks as the page that it was', async ({ printing }) => {
    const print = await printing.printHtml(
      '<section class="small"><svg><text y="90">Á, ñ</text></svg></section>',
    );
    const drawing = { shared: [[[40, 300, 400, 3] as const]], pages: [[]] };
    const [page] = split(print, [{ title: 'x', drawing, letters: [4] }]);
    const empty = await printing.printHtml('<section class="small"></section>');
    const nothing = { title: 'x', drawing: { shared: [], pages: [[]] }, letters: [0] };
    const [laidOn] = split(empty, [{ ...nothing, underlay: readUnderlay(print, { drawing, letters: [4] }) }]);
    expect(digest(pixels(laidOn as Uint8Array))).toBe(digest(pixels(page as Uint8Array)));
    expect(digest(pixels(page as Uint8Array))).not.toBe(digest(pixels(empty)));
  });
});

test('a Chromium that writes other PDFs is refused at the start', async ({ printing }) => {
  const printed = printUnderlays(async (body) => withoutTable(await printing.printHtml(body)));
  await expect(printed).rejects.toThrow('labels need another version of it');
});

describe('a PDF that is not as Chromium writes it', () => {
  test.for<[string, (print: Uint8Array) => Uint8Array]>([
    ['has object streams', withoutTable],
    ['was updated', (print) => edited(print, '/Info 1 0 R>>', '/Info 1 0 R/Prev 9>>')],
    ['is encrypted', (print) => edited(print, '/Info 1 0 R>>', '/Info 1 0 R/Encrypt 3 0 R>>')],
    ['has attributes that pages inherit', (print) => edited(print, '\n/Kids [', '/Rotate ')],
    ['has two content streams', (print) => edited(print, /(\/Contents) (\d+ 0 R)/, '$1[$2]')],
    ['is cut off', (print) => print.subarray(0, print.length / 2)],
    ['is none', () => Buffer.from('no PDF at all')],
  ])('is refused: it %s', ([_, make], { batch: { print, labels } }) => {
    const pdf = make(print);
    expect(() => split(pdf, labels)).toThrow(UnsupportedPdfError);
  });
});
