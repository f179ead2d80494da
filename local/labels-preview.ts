import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import Handlebars from 'handlebars';
import { LabelPrinter } from '#services/label-worker/batching/label-printer.ts';
import { printUnderlays } from '#services/label-worker/batching/print-underlays.ts';
import { TRIAL } from '#services/label-worker/batching/trial-print.ts';
import {
  type PrintingBrowser,
  startPrintingBrowser,
} from '#services/label-worker/browser/printing-browser.ts';
import { DOTS_PER_MM } from '#services/label-worker/drawing.ts';
import { toBitmap } from '#services/label-worker/images/bitmap.ts';
import { toPng } from '#services/label-worker/images/png.ts';
import { DOCUMENT } from '#services/label-worker/label/document.ts';
import {
  OUR_FOLDER,
  OUR_TEMPLATES,
  readTemplate,
  templateNames,
} from '#services/label-worker/label/templates.ts';
import { tryTemplates } from '#services/label-worker/try-templates.ts';
import { createLogger } from '#shared/observability/logger.ts';
import { startPdfium } from '#shared/pdf/pdfium.ts';
import { provideChromium } from './programs/chromium.ts';
import { runProgram } from './run-program.ts';

/** `npm run labels:preview`: prints sample labels for people to look at. */

const HELP = `Usage: npm run labels:preview -- [--templates <folder>] [--out <folder>]

Prints sample labels as PDF and PNG, with a page (index.html) that shows them side by side and reports what is wrong.

  --templates <folder>  templates of your own (docs/labels.md); ours unless given
  --out <folder>        where the labels go; .local/labels-preview unless given
  --help                this text
`;

const renderPage = Handlebars.compile(readFileSync(new URL('labels-preview.hbs', import.meta.url), 'utf8'));

type Options = { templates: string; out: string; executablePath: string };
/** `index` is the path of the page, `problems` are for what a worker refuses the templates, `warnings` for what it warns. */
type Preview = { index: string; names: string[]; problems: string[]; warnings: string[] };

const OPTIONS = {
  templates: { type: 'string', default: OUR_FOLDER },
  out: { type: 'string', default: '.local/labels-preview' },
} as const;

if (import.meta.main) {
  await runProgram(HELP, OPTIONS, async (values) => {
    const executablePath = await provideChromium((line) => process.stdout.write(`${line}\n`));
    const [templates, out] = [resolve(values.templates), resolve(values.out)];
    const { index, names, problems, warnings } = await preview({ templates, out, executablePath });
    process.stdout.write(`Printed ${names.length} labels: ${index}\n`);
    for (const warning of warnings) process.stdout.write(`Warning: ${warning}\n`);
    if (problems.length > 0) throw new Error(problems.join('\n'));
  });
}

/** Prints the sample labels of each template in a folder. */
export async function preview({ templates, out, executablePath }: Options): Promise<Preview> {
  await mkdir(out, { recursive: true });
  const browser = await startPrintingBrowser(
    {
      executablePath,
      sandboxRequired: false,
      document: DOCUMENT,
      trial: TRIAL,
      concurrency: 1,
      printTimeoutMs: 20_000,
    },
    createLogger('preview', 'error'),
  );
  const preview: Preview = { index: join(out, 'index.html'), names: [], problems: [], warnings: [] };
  const attempt = (work: () => Promise<void>) =>
    work().catch((error: Error) => void preview.problems.push(error.message));
  try {
    await attempt(async () => {
      for (const file of templateNames(templates))
        await attempt(() => printSamples(templates, file, out, browser, preview));
    });
    await writeFile(preview.index, renderPage(preview));
    return preview;
  } finally {
    await browser.close();
  }
}

/** Tries a template as a worker does at its start, and keeps the output. @throws TemplateError */
async function printSamples(
  folder: string,
  file: string,
  out: string,
  { printHtml, tryPrint }: PrintingBrowser,
  preview: Preview,
): Promise<void> {
  const [kind, template] = readTemplate(folder, file);
  const templates = { ...OUR_TEMPLATES, [kind]: template };
  const underlays = await printUnderlays(printHtml, templates);
  const options = { templates, underlays, printHtml, tryPrint, concurrency: 1, maxLabels: 50 };
  const printer = new LabelPrinter(options);
  const { rasterize } = await startPdfium();
  const warned = await tryTemplates(templates, {
    async print(label, order, sample) {
      const pdf = await printer.print(label, order);
      if (!order.alone) return pdf;
      const name = `${kind}-${sample}`;
      await writeFile(join(out, `${name}.pdf`), pdf);
      const picture = toPng(toBitmap(rasterize(pdf, 0, DOTS_PER_MM)), DOTS_PER_MM);
      await writeFile(join(out, `${name}.png`), picture);
      preview.names.push(name);
      return pdf;
    },
  });
  preview.warnings.push(...warned);
}
