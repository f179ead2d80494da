import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createLogger } from '#shared/observability/logger.ts';
import { createLabelPrinter } from '../batching/label-printer.ts';
import { startPrintingBrowser } from '../chromium/printing-browser.ts';
import { DOCUMENT } from '../label/label-html.ts';
import { PREVIEW_CASES, type PreviewCase } from './preview-cases.ts';

/** Dots per inch of a thermal head with 8 dots a millimetre. */
const DPI = '203.2';
const run = promisify(execFile);

/**
 * Prints every preview case as PDF and PNG into `folder`, with a page that shows them side by side.
 *
 * @param executablePath Chromium's. `pdftoppm` (poppler-utils) must be on PATH.
 * @returns the path of the page.
 */
export async function printPreview(folder: string, executablePath: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  const browser = await startPrintingBrowser(
    {
      executablePath,
      document: DOCUMENT,
      concurrency: 1,
      printTimeoutMs: 20_000,
      maxPrints: 1_000,
      maxMemoryBytes: Number.POSITIVE_INFINITY,
      healthIntervalMs: 20_000,
    },
    createLogger('preview', 'error'),
  );
  try {
    const printer = createLabelPrinter({ printHtml: browser.print, concurrency: 1, maxLabels: 1 });
    for (const { name, label } of PREVIEW_CASES) {
      const file = join(folder, name);
      await writeFile(`${file}.pdf`, await printer.print(label));
      await run('pdftoppm', ['-r', DPI, '-gray', '-png', '-singlefile', `${file}.pdf`, file]);
    }
  } finally {
    await browser.close();
  }
  const index = join(folder, 'index.html');
  await writeFile(index, indexPage());
  return index;
}

function indexPage(): string {
  return `<!doctype html>
<html lang="es-MX">
<meta charset="utf-8">
<title>Etiquetas</title>
<style>
  body { font: 14px/1.4 system-ui, sans-serif; background: #e4e4e4; margin: 24px }
  main { display: flex; flex-wrap: wrap; align-items: start; gap: 24px }
  figure { margin: 0 }
  img { display: block; width: 420px; background: #fff; box-shadow: 0 1px 4px #0004 }
</style>
<h1>Etiquetas</h1>
${section('Carta', 'letter')}
${section('10 × 10 cm, primera página', 'small')}
</html>
`;
}

function section(title: string, kind: PreviewCase['label']['kind']): string {
  const figures = PREVIEW_CASES.filter(({ label }) => label.kind === kind).map(
    ({ name, about }) =>
      `<figure><a href="${name}.pdf"><img src="${name}.png" alt=""></a><figcaption>${about} (${name})</figcaption></figure>`,
  );
  return `<h2>${title}</h2>\n<main>${figures.join('\n')}</main>`;
}
