import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect } from 'vitest';
import { JoinedPdf } from '#services/api/labels/joined-pdf.ts';
import { pdfFile, split } from '#services/label-worker/pdf/split.ts';
import { catalog, information, pageTree } from '#shared/pdf/pdf-writer.ts';
import { UnsupportedPdfError } from '#shared/pdf/read-pdf.ts';
import { checkPdf } from '#test/fixtures/labels/pictures.ts';
import { test } from '#test/fixtures/labels/printed-batch.ts';

function join(labels: readonly Uint8Array[]): Buffer {
  const file = new JoinedPdf();
  const begin = file.begin('9 etiquetas');
  const pieces = labels.map((label) => file.add(Buffer.from(label)));
  return Buffer.concat([begin, ...pieces, file.end()]);
}

/** The pictures of all pages at 203 dpi, one after the other. */
function pixelsOf(pdf: Uint8Array): Buffer {
  return execFileSync('pdftoppm', ['-r', '203', '-gray', '-'], { input: pdf, maxBuffer: 2 ** 28 });
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
  test('have the pixels that each of them has', async ({ batch }) => {
    const labels = split(batch.print, batch.labels);
    const file = join(labels);
    await checkPdf(file);
    expect(pixelsOf(file).equals(Buffer.concat(labels.map(pixelsOf)))).toBe(true);
    expect(execFileSync('pdfinfo', ['-'], { input: file }).toString()).toMatch(/Title: +9 etiquetas\n/);
  });

  test('have once what they share, as fonts', async ({ batch: { print, labels: rendered } }) => {
    const labels = split(print, rendered);
    const file = join([...labels, ...labels]);
    // Two of the labels, and one each of the letter's and the small label's form.
    expect(file.toString('latin1').match(/\/FontFile2/g)).toHaveLength(4);
    expect(join([...labels, ...labels, ...labels]).length - file.length).toBeLessThan(file.length / 4);
  });

  test('leave nothing of their bytes in memory', async () => {
    setFlagsFromString('--expose-gc');
    const collect: () => void = runInNewContext('gc');
    const used = () => {
      collect();
      const { heapUsed, arrayBuffers } = process.memoryUsage();
      return (heapUsed + arrayBuffers) / 2 ** 20;
    };
    const file = new JoinedPdf();
    file.begin('300 etiquetas');
    const add = (labels: number) => {
      for (let i = 0; i < labels; i++) file.add(labelOf(randomBytes(200_000)));
    };
    add(100);
    const before = used();
    add(200);
    await expect.poll(() => used() - before).toBeLessThan(8); // of 40 MB
    expect(file.end().length).toBeLessThan(100_000);
  });
});

describe('a label of another layout', () => {
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
