import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect } from 'vitest';
import { type RenderedLabel, renderLabel } from '#services/label-worker/label/render-label.ts';
import { readAnyPdf } from '#services/label-worker/pdf/any-pdf.ts';
import { pdfFile } from '#services/label-worker/pdf/pdf-file.ts';
import { split } from '#services/label-worker/pdf/split.ts';
import { LabelFile } from '#shared/pdf/label-file.ts';
import { catalog, information, pageTree } from '#shared/pdf/pdf-writer.ts';
import { UnsupportedPdfError } from '#shared/pdf/read-pdf.ts';
import { checkPdf } from '#test/fixtures/labels/label-pixels.ts';
import { mixedLabels } from '#test/fixtures/labels/labels.ts';
import { test as printingTest } from '#test/fixtures/labels/printing-browser.ts';

const LABELS = mixedLabels(9).map((label) => renderLabel(label));
const test = printingTest.extend('print', { scope: 'file' }, ({ printing }) =>
  printing.print(LABELS.map(({ html }) => html).join('')),
);

function join(labels: readonly Uint8Array[]): Buffer {
  const file = new LabelFile();
  const begin = file.begin('9 etiquetas');
  const pieces = labels.map((label) => file.add(Buffer.from(label)));
  return Buffer.concat([begin, ...pieces, file.end()]);
}

/** A digest of each page's pixels at 203 dpi. */
function pixelsOf(pdf: Uint8Array, pages: number): string[] {
  return Array.from({ length: pages }, (_, i) => {
    const args = ['-r', '203', '-gray', '-f', `${i + 1}`, '-l', `${i + 1}`, '-'];
    const pixels = execFileSync('pdftoppm', args, { input: pdf, maxBuffer: 2 ** 27 });
    return createHash('sha256').update(pixels).digest('hex');
  });
}

/** Cuts a print with the library that knows all of PDF, as when Chromium writes otherwise. */
async function splitByLibrary(print: Uint8Array): Promise<Uint8Array[]> {
  const { extract } = await readAnyPdf(print);
  const files: Uint8Array[] = [];
  let first = 0;
  for (const { title, drawing } of LABELS) {
    const pages = drawing.pages.map((_, i) => first + i);
    files.push(await extract(pages, title, drawing));
    first += pages.length;
  }
  return files;
}

/** A label with one page, whose content is these bytes. */
function labelOf(content: Buffer, page = ''): Buffer {
  return pdfFile([
    catalog(),
    pageTree([4]),
    information('x'),
    [`<</Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 5 0 R${page}>>\nendobj\n`],
    [`<</Length ${content.length}>>\nstream\n`, content, '\nendstream\nendobj\n'],
  ]);
}

describe('labels that are joined', () => {
  test.for([
    ['our own splitter', split],
    ['the general library', splitByLibrary],
  ] as const)('have the pixels that each of them has, cut by %s', async ([_, cut], { print }) => {
    const labels = await cut(print, LABELS);
    const file = join(labels);
    await checkPdf(file);
    const pagesOf = (label: RenderedLabel | undefined) => label?.drawing.pages.length ?? 0;
    const expected = labels.flatMap((label, i) => pixelsOf(label, pagesOf(LABELS[i])));
    expect(pixelsOf(file, expected.length)).toEqual(expected);
    expect(execFileSync('pdfinfo', ['-'], { input: file }).toString()).toMatch(/Title: +9 etiquetas\n/);
  });

  test('have what they share once, as the fonts of one print', async ({ print }) => {
    const labels = await split(print, LABELS);
    const file = join([...labels, ...labels]);
    expect(file.toString('latin1').match(/\/FontFile2/g)).toHaveLength(2);
    expect(join([...labels, ...labels, ...labels]).length - file.length).toBeLessThan(file.length / 4);
  });

  test('leave nothing of their bytes in memory', () => {
    setFlagsFromString('--expose-gc');
    const collect: () => void = runInNewContext('gc');
    const used = () => {
      collect();
      const { heapUsed, arrayBuffers } = process.memoryUsage();
      return (heapUsed + arrayBuffers) / 2 ** 20;
    };
    const file = new LabelFile();
    file.begin('1000 etiquetas');
    const before = used();
    for (let i = 0; i < 1_000; i++) file.add(labelOf(randomBytes(200_000)));
    expect(used() - before).toBeLessThan(8); // of 200 MB
    expect(file.end().length).toBeLessThan(100_000);
  });
});

describe('a label of another form', () => {
  test.for<[string, Buffer]>([
    ['needs itself', labelOf(Buffer.from('q Q'), ' /Annots 4 0 R')],
    ['is no PDF', Buffer.from('no PDF at all')],
    ['is cut off', labelOf(Buffer.from('q Q')).subarray(0, 300)],
    ['lacks an object', labelOf(Buffer.from('q Q'), ' /Annots 9 0 R')],
    ['has a string that looks like a reference', labelOf(Buffer.from('q Q'), ' /X (5 0 R)')],
  ])('is refused: it %s', ([_, label]) => {
    expect(() => join([label])).toThrow(UnsupportedPdfError);
  });
});
