import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { LABEL_KINDS, type LabelPayload } from '#shared/contracts/label-job.ts';
import { createLogger } from '#shared/observability/logger.ts';
import { createLabelPrinter } from '../batching/label-printer.ts';
import { startPrintingBrowser } from '../chromium/printing-browser.ts';
import { DOCUMENT } from '../label/document.ts';
import { OUR_TEMPLATES } from '../label/templates.ts';
import { PREVIEW_CASES } from './preview-cases.ts';

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
      sandboxRequired: false,
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
<html lang="en">
<meta charset="utf-8">
<title>Labels</title>
<style>
  body { font: 14px/1.4 system-ui, sans-serif; background: #e4e4e4; margin: 24px }
  main { display: flex; flex-wrap: wrap; align-items: start; gap: 24px }
  figure { margin: 0 }
  img { display: block; width: 420px; background: #fff; box-shadow: 0 1px 4px #0004 }
</style>
<h1>Labels</h1>
${LABEL_KINDS.map(section).join('\n')}
</html>
`;
}

function section(kind: LabelPayload['kind']): string {
  const { width, height } = OUR_TEMPLATES[kind].size;
  const figures = PREVIEW_CASES.filter(({ label }) => label.kind === kind).map(
    ({ name, about }) =>
      `<figure><a href="${name}.pdf"><img src="${name}.png" alt=""></a><figcaption>${about} (${name})</figcaption></figure>`,
  );
  return `<h2>${kind}, ${width} × ${height}: first pages</h2>\n<main>${figures.join('\n')}</main>`;
}
