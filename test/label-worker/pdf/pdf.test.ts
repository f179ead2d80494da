import { execFileSync } from 'node:child_process';
import { expect } from 'vitest';
import { sample } from '#services/label-worker/label/template-files/sample-labels.ts';
import { LABEL_CASES } from '#test/fixtures/labels/label-cases.ts';
import { test as printing } from '#test/fixtures/labels/label-printing.ts';
import { pagesOf } from '#test/fixtures/labels/pictures.ts';

const tool = (name: string, pdf: Uint8Array) => execFileSync(name, ['-'], { input: pdf, encoding: 'utf8' });

const OURS = /^\w{6}\+(BarlowSemiCondensed|FiraSansCondensed|NotoSans|NotoSansSymbols2)-\w+ .* yes yes yes /;

/** The outlined letters of a stamp, which Chromium writes as drawings. */
const STAMP = /^\[none\] +Type 3 +Custom +yes no +yes /;

const test = printing.extend('pdfs', { scope: 'file' }, ({ printer }) =>
  Promise.all(LABEL_CASES.map(({ label }) => printer.print({ ...label, packages: 1 }, { alone: true }))),
);

test.for(LABEL_CASES.map(({ name }, i) => [name, i] as const))(
  '%s is a small file with subsets of the service’s own fonts, a title, no date, no tags, no script and no form',
  ([name, i], { pdfs }) => {
    const pdf = pdfs[i] as Uint8Array;
    expect(pdf.length).toBeLessThan(60_000);
    const fonts = tool('pdffonts', pdf).trim().split('\n').slice(2);
    expect(fonts.length).toBeGreaterThan(0);
    const own = name.endsWith('-test') ? fonts.filter((font) => !STAMP.test(font)) : fonts;
    for (const font of own) expect(font).toMatch(OURS);
    const info = tool('pdfinfo', pdf);
    expect(info).toMatch(/^Title: +Guía \d{12}$/m);
    expect(info).not.toMatch(/Date:/);
    for (const none of ['Tagged: +no', 'JavaScript: +no', 'Form: +none'])
      expect(info).toMatch(RegExp(`^${none}$`, 'm'));
  },
);

test('a label printed alone and in a batch has the same pixels', async ({ printer }) => {
  const alone = sample({ carrier: 'Otra Paquetería' });
  const [before] = await pagesOf(await printer.print(alone, { alone: true }), 150);
  // Fill the print slots, so that the rest waits and is printed together.
  const [, , , inBatch] = await Promise.all([
    ...LABEL_CASES.slice(0, 3).map(({ label }) => printer.print(label)),
    printer.print(alone),
    ...LABEL_CASES.slice(3, 9).map(({ label }) => printer.print(label)),
  ]);
  const [after] = await pagesOf(inBatch ?? new Uint8Array(), 150);
  expect(Buffer.from(after?.pixels ?? []).equals(Buffer.from(before?.pixels ?? [1]))).toBe(true);
});
