import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { provideChromium } from '../../local/chromium.ts';
import { ensurePrograms } from '../../local/programs.ts';
import { createLogger } from '../../shared/logger.ts';
import { launchBrowser } from './browser.ts';
import { DOCUMENT } from './label-html.ts';
import { createLabelPrinter } from './label-printer.ts';
import { PREVIEW_CASES, type PreviewCase } from './preview-cases.ts';

/** `npm run labels:preview`: for a person to look at labels. Exit code 0 done, 1 failed, 2 wrong usage. */

const HELP = `Uso: npm run labels:preview -- [--out <carpeta>]

Imprime ${PREVIEW_CASES.length} etiquetas reveladoras como PDF y PNG, con una pagina (index.html) que las muestra juntas.

  --out <carpeta>  donde quedan; si no, .local/labels-preview
  -h, --help       muestra esta ayuda`;

/** Dots per inch of a thermal head with 8 dots a millimetre. */
const DPI = '203.2';
const run = promisify(execFile);
const say = (line: string) => process.stdout.write(`${line}\n`);

async function preview(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await ensurePrograms([{ names: ['pdftoppm'], apt: 'poppler-utils', brew: 'poppler' }], say);
  const executablePath = await provideChromium(say);
  const browser = await launchBrowser(
    {
      executablePath,
      document: DOCUMENT,
      lanes: 1,
      timeoutMs: 20_000,
      healthMs: 20_000,
      printsEach: 1_000,
      memoryEach: Number.POSITIVE_INFINITY,
    },
    createLogger('preview', 'error'),
  );
  try {
    const printer = createLabelPrinter(browser, { lanes: 1, batchLabels: 1 });
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
  say(`${PREVIEW_CASES.length} etiquetas: ${index}`);
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

function options(): { out: string; help: boolean } | undefined {
  try {
    const { values } = parseArgs({
      options: { out: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
    });
    return { out: resolve(values.out ?? '.local/labels-preview'), help: values.help ?? false };
  } catch {
    return undefined;
  }
}

const chosen = options();
if (!chosen) {
  process.stderr.write(`Uso incorrecto. Vea npm run labels:preview -- --help\n`);
  process.exitCode = 2;
} else if (chosen.help) say(HELP);
else
  await preview(chosen.out).catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    process.exitCode = 1;
  });
