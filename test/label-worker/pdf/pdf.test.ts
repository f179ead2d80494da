import { execFileSync } from 'node:child_process';
import { describe, expect } from 'vitest';
import { sample } from '#services/label-worker/label/template-files/sample-labels.ts';
import { LABEL_KINDS } from '#shared/contracts/label-kinds.ts';
import { LABEL_CASES } from '#test/fixtures/labels/label-cases.ts';
import { test } from '#test/fixtures/labels/label-printing.ts';
import { pagesOf } from '#test/fixtures/labels/pictures.ts';

const tool = (name: string, pdf: Uint8Array) => execFileSync(name, ['-'], { input: pdf, encoding: 'utf8' });

describe.each(LABEL_CASES)('$name', ({ label }) => {
  let pdf: Uint8Array;
  test.beforeAll(async ({ printer }) => {
    pdf = await printer.print({ ...label, packages: 1 });
  });

  test('is a small file', () => {
    expect(pdf.length).toBeLessThan(60_000);
  });

  test('has no font but subsets of the service’s own', () => {
    const fonts = tool('pdffonts', pdf).trim().split('\n').slice(2);
    expect(fonts.length).toBeGreaterThan(0);
    const ours =
      /^\w{6}\+(BarlowSemiCondensed|FiraSansCondensed|NotoSans|NotoSansSymbols2)-\w+ .* yes yes yes /;
    for (const font of fonts) expect(font).toMatch(ours);
  });

  test('has a title, no date, no tags, no script, no form', () => {
    expect(tool('pdfinfo', pdf)).toMatch(/^Title: +Guía \d{12}$/m);
    expect(tool('pdfinfo', pdf)).not.toMatch(/Date:/);
    for (const none of ['Tagged', 'JavaScript'])
      expect(tool('pdfinfo', pdf)).toMatch(new RegExp(`^${none}: +no$`, 'm'));
    expect(tool('pdfinfo', pdf)).toMatch(/^Form: +none$/m);
  });
});

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

test.for(LABEL_KINDS)('the logo is on each page of a %s label', async (kind, { printer }) => {
  const logo = LABEL_CASES.find(({ label }) => label.logo)?.label.logo ?? '';
  const packages = kind === 'letter' ? 1 : 99;
  const pdf = await printer.print(sample({ kind, packages, logo }));
  for (const page of await pagesOf(pdf, 72, { area: [0, 0, 200, 85] })) {
    const [left, top, size] = kind === 'letter' ? [34, 34, 50] : [10, 6, 18];
    let black = 0;
    for (let y = top; y < top + size / 2; y++) {
      for (let x = left; x < left + size; x++)
        black += (page.pixels[y * page.width + x] ?? 255) < 128 ? 1 : 0;
    }
    expect(black).toBeGreaterThan(size);
  }
});
