import { expect } from 'vitest';
import { LabelPrinter } from '#services/label-worker/batching/label-printer.ts';
import { printUnderlays } from '#services/label-worker/batching/print-underlays.ts';
import { sample } from '#services/label-worker/label/template-files/sample-labels.ts';
import { loadTemplates } from '#services/label-worker/label/templates.ts';
import { tryTemplates } from '#services/label-worker/try-templates.ts';
import { LABEL_CASES } from '#test/fixtures/labels/label-cases.ts';
import { test as printerTest } from '#test/fixtures/labels/label-printing.ts';
import { codesOf, HEAD_DPI, type Picture, pagesOf } from '#test/fixtures/labels/pictures.ts';
import { startTestBrowser } from '#test/fixtures/labels/printing-browser.ts';

/** The example in plain HTML and CSS, `examples/templates/html`, as a label worker with that folder prints it. */

const templates = loadTemplates('examples/templates/html');
const test = printerTest
  .extend('printing', { scope: 'file' }, async ({}, { onCleanup }) => {
    const browser = await startTestBrowser();
    onCleanup(() => browser.close());
    return browser;
  })
  .extend('own', { scope: 'file' }, async ({ printing }) => {
    const underlays = await printUnderlays(printing.printHtml, templates);
    return new LabelPrinter({
      templates,
      underlays,
      printHtml: printing.printHtml,
      concurrency: 1,
      maxLabels: 50,
    });
  });

const MEDIUM = LABEL_CASES.filter(({ label }) => label.kind === 'medium');

test('passes what is tried at start', async ({ own }) => {
  expect(await tryTemplates(templates, own)).toEqual([]);
});

test('prints every case with its codes, dot for dot, also in one print', async ({ own }) => {
  const files = await Promise.all(MEDIUM.map(({ label }) => own.print(label)));
  const pages = await Promise.all(files.map(async (file) => (await pagesOf(file, HEAD_DPI))[0] as Picture));
  const codes = await codesOf(pages);
  for (const [i, { name, label }] of MEDIUM.entries()) {
    const number = `CODE-128:${label.number}-${String(label.package ?? 1).padStart(2, '0')}`;
    expect(codes[i], name).toEqual([number, `QR-Code:${label.trackingUrl}`]);
    // Through the bars: of whole modules of 3 dots, and nothing between black and white.
    const runs = runsOf(pages[i] as Picture, 1_040);
    expect(runs.every(({ length, value }) => length % 3 === 0 && (value === 0 || value === 255))).toBe(true);
  }
});

/** Runs of pixels of the same value in a row, but for the margins. */
function runsOf({ width, pixels }: Picture, row: number) {
  const runs: { value: number; length: number }[] = [];
  for (const value of pixels.subarray(row * width, (row + 1) * width)) {
    const last = runs.at(-1);
    if (last?.value === value) last.length++;
    else runs.push({ value, length: 1 });
  }
  return runs.slice(1, -1);
}

test('leaves nothing behind in the PDF of where its codes stand', async ({ own }) => {
  const text = Buffer.from(await own.print(sample({ kind: 'medium' }))).toString('latin1');
  expect(text).not.toMatch(/\/Annot|\/URI/);
});
