import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { PDFDocument } from '@cantoo/pdf-lib';
import { describe, expect } from 'vitest';
import { readAnyPdf } from '#services/label-worker/pdf/any-pdf.ts';
import { readChromiumPdf } from '#services/label-worker/pdf/chromium-pdf.ts';
import type { LabelPages } from '#services/label-worker/pdf/content-streams.ts';
import { split } from '#services/label-worker/pdf/split.ts';
import { UnsupportedPdfError } from '#shared/pdf/read-pdf.ts';
import { test } from '#test/fixtures/labels/printed-batch.ts';

const tool = (name: string, args: string[], pdf: Uint8Array) =>
  execFileSync(name, args, { input: pdf, maxBuffer: 2 ** 27 });
/** What a printer would print, and what a person could copy. */
const seen = (pdf: Uint8Array) => [
  createHash('sha256')
    .update(tool('pdftoppm', ['-r', '203', '-gray', '-'], pdf))
    .digest('hex'),
  tool('pdftotext', ['-layout', '-', '-'], pdf).toString(),
];

describe('a print that is split', () => {
  test('gives each label the same pixels as a general PDF library', async ({ batch: { print, labels } }) => {
    const files = await split(print, labels);
    const oracle = await readAnyPdf(print);
    let first = 0;
    for (const [i, label] of labels.entries()) {
      const pages = label.drawing.pages.map((_, page) => first + page);
      const expected = await oracle.extract(pages, label);
      expect(seen(files[i] as Uint8Array)).toEqual(seen(expected));
      first += pages.length;
    }
  });

  test('gives files with title and language, and no date', async ({ batch: { print, labels } }) => {
    const [file] = await split(print, labels);
    const text = Buffer.from(file as Uint8Array).toString('latin1');
    const pdf = await PDFDocument.load(file as Uint8Array, { updateMetadata: false });
    expect(pdf.getTitle()).toBe(labels[0]?.title);
    expect(text).toContain('/Lang (es-MX)');
    expect(text).toContain('/PrintScaling /None');
    expect(text).not.toContain('Date');
    const fonts = tool('pdffonts', ['-'], file as Uint8Array).toString();
    // The label's own two, and the one of its form's captions.
    expect(fonts.match(/yes yes yes/g)?.length).toBe(3);
  });

  test('is the same file each time', async ({ batch: { print, labels } }) => {
    const [one, other] = [await split(print, labels), await split(print, labels)];
    expect(one.every((file, i) => Buffer.from(file).equals(other[i] as Uint8Array))).toBe(true);
  });

  test('is refused when its pages are not those of its labels', async ({ batch: { print, labels } }) => {
    await expect(split(print, labels.slice(1))).rejects.toThrow(/pages, not/);
  });
});

describe('a PDF that is not as Chromium writes it', () => {
  const resaved = async (print: Uint8Array, useObjectStreams: boolean) =>
    (await PDFDocument.load(print, { updateMetadata: false })).save({ useObjectStreams });
  const edited = (print: Uint8Array, from: string | RegExp, to: string) =>
    Buffer.from(Buffer.from(print).toString('latin1').replace(from, to), 'latin1');

  test.for<[string, (print: Uint8Array) => Promise<Uint8Array> | Uint8Array]>([
    ['has object streams', (print) => resaved(print, true)],
    ['was written by another program', (print) => resaved(print, false)],
    ['was updated', (print) => edited(print, '/Info 1 0 R>>', '/Info 1 0 R/Prev 9>>')],
    ['is encrypted', (print) => edited(print, '/Info 1 0 R>>', '/Info 1 0 R/Encrypt 3 0 R>>')],
    ['has attributes that pages inherit', (print) => edited(print, '\n/Kids [', '/Rotate ')],
    ['is cut off', (print) => Buffer.from(print.subarray(0, print.length / 2))],
    ['is none', () => Buffer.from('no PDF at all')],
  ])('is refused: it %s', async ([_, make], { batch: { print, labels } }) => {
    const pdf = Buffer.from(await make(print));
    const whole = () => {
      const { pageCount, extract } = readChromiumPdf(pdf);
      return extract(
        Array.from({ length: pageCount }, (_, page) => page),
        labels[0] as LabelPages,
      );
    };
    expect(whole).toThrow(UnsupportedPdfError);
  });

  test('is split by the general library instead', async ({ batch: { print, labels } }) => {
    const [ours, theirs] = [await split(print, labels), await split(await resaved(print, true), labels)];
    expect(seen(theirs[3] as Uint8Array)).toEqual(seen(ours[3] as Uint8Array));
  });
});
