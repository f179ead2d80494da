import { on } from 'node:events';
import { readFileSync, watch } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import Handlebars from 'handlebars';
import { createLogger } from '#shared/observability/logger.ts';
import { createLabelPrinter } from '../batching/label-printer.ts';
import { printUnderlays } from '../batching/print-underlays.ts';
import { type PrintingBrowser, startPrintingBrowser } from '../browser/printing-browser.ts';
import { startPdfium } from '../images/pdfium.ts';
import { toPng } from '../images/png.ts';
import { DOCUMENT } from '../label/document.ts';
import { OUR_TEMPLATES, readTemplate, templateNames } from '../label/templates.ts';
import { DOTS_PER_MM, tryTemplates } from '../try-templates.ts';

/** How long an editor may take to save a file, in ms: it empties the file first. */
const SAVED_MS = 50;

const renderPage = Handlebars.compile(readFileSync(new URL('page.hbs', import.meta.url), 'utf8'));

/** `templates` is the folder of templates, `out` that of the preview, `executablePath` Chromium's. */
export type PreviewOptions = { templates: string; out: string; executablePath: string };
/** `index` is the path of the page that shows the labels, `names` are those of its labels, `problems` what is wrong with the templates. */
export type Preview = { index: string; names: readonly string[]; problems: readonly string[] };

/**
 * Prints the sample labels of each template in a folder as PDF and PNG, with a page that shows them side by side and
 * says what is wrong. With `signal` it prints them again whenever a template changes, until the signal aborts, and the
 * page reloads itself.
 */
export async function* preview(options: PreviewOptions, signal?: AbortSignal): AsyncGenerator<Preview> {
  const { templates, executablePath } = options;
  const browser = await startPrintingBrowser(
    { executablePath, sandboxRequired: false, document: DOCUMENT, concurrency: 1, printTimeoutMs: 20_000 },
    createLogger('preview', 'error'),
  );
  try {
    const changes = signal && on(watch(templates, { signal }), 'change', { signal });
    let shown = await contentOf(templates);
    yield await printSamples(options, browser);
    for await (const _ of changes ?? []) {
      await delay(SAVED_MS, undefined, { signal });
      const content = await contentOf(templates);
      if (content === shown) continue; // an editor that saves a file may touch it several times
      shown = content;
      yield await printSamples(options, browser);
    }
  } catch (error) {
    if (!signal?.aborted) throw error;
  } finally {
    await browser.close();
  }
}

/** Returns all that the files of a folder hold. */
async function contentOf(folder: string): Promise<string> {
  const names = (await readdir(folder)).sort();
  const texts = names.map((name) => readFile(join(folder, name), 'utf8').catch(() => ''));
  return JSON.stringify([names, await Promise.all(texts)]);
}

async function printSamples(
  { templates: folder, out }: PreviewOptions,
  browser: PrintingBrowser,
): Promise<Preview> {
  await mkdir(out, { recursive: true });
  const problems: string[] = [];
  const names: string[] = [];
  const attempt = async (work: () => Promise<void>) =>
    work().catch((error: Error) => void problems.push(error.message));
  await attempt(async () => {
    for (const file of templateNames(folder)) await attempt(() => printTemplate(file));
  });
  const printedAt = Date.now();
  const index = join(out, 'index.html');
  await writeFile(index, renderPage({ problems, names, printedAt }));
  await writeFile(join(out, 'printed.js'), `printed(${printedAt})\n`);
  return { index, problems, names };

  /** Tries a template as a worker does at its start, and keeps what that prints. @throws TemplateError */
  async function printTemplate(file: string): Promise<void> {
    const [kind, template] = readTemplate(folder, file);
    const templates = { ...OUR_TEMPLATES, [kind]: template };
    const underlays = await printUnderlays(browser.print, templates);
    const printHtml = browser.print;
    const printer = createLabelPrinter({ templates, underlays, printHtml, concurrency: 1, maxLabels: 50 });
    const rasterize = await startPdfium();
    await tryTemplates(templates, async (label, order, sample) => {
      const pdf = await printer.print(label, order);
      if (!order.alone) return pdf;
      const name = `${kind}-${sample}`;
      await writeFile(join(out, `${name}.pdf`), pdf);
      await writeFile(join(out, `${name}.png`), toPng(rasterize(pdf, 0, DOTS_PER_MM), DOTS_PER_MM));
      names.push(name);
      return pdf;
    });
  }
}
