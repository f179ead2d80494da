import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { PREVIEW_CASES } from '#services/label-worker/preview/preview-cases.ts';
import { printPreview } from '#services/label-worker/preview/print-preview.ts';
import { provideChromium } from './programs/chromium.ts';
import { ensurePrograms } from './programs/ensure-programs.ts';

/** `npm run labels:preview`: prints sample labels for people to look at. Exit code 0: done, 1: failed, 2: wrong usage. */

const HELP = `Uso: npm run labels:preview -- [--out <carpeta>]

Imprime ${PREVIEW_CASES.length} etiquetas de muestra como PDF y PNG, con una pagina (index.html) que las muestra juntas.

  --out <carpeta>  donde quedan; si no, .local/labels-preview
  -h, --help       muestra esta ayuda`;

const say = (line: string) => process.stdout.write(`${line}\n`);

async function preview(folder: string): Promise<void> {
  await ensurePrograms([{ names: ['pdftoppm'], apt: 'poppler-utils', brew: 'poppler' }], say);
  const index = await printPreview(folder, await provideChromium(say));
  say(`${PREVIEW_CASES.length} etiquetas: ${index}`);
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
