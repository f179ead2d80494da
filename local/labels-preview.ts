import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { PREVIEW_CASES } from '#services/label-worker/preview/preview-cases.ts';
import { printPreview } from '#services/label-worker/preview/print-preview.ts';
import { provideChromium } from './programs/chromium.ts';
import { ensurePrograms } from './programs/ensure-programs.ts';

/** `npm run labels:preview`: prints sample labels for people to look at. Exit code 0: done, 1: failed, 2: wrong usage. */

const HELP = `Usage: npm run labels:preview -- [--out <folder>]

Prints ${PREVIEW_CASES.length} sample labels as PDF and PNG, and writes a page (index.html) that shows them side by side.

  --out <folder>  where they go; .local/labels-preview unless given
  -h, --help      this text`;

const say = (line: string) => process.stdout.write(`${line}\n`);

async function preview(folder: string): Promise<void> {
  await ensurePrograms([{ names: ['pdftoppm'], apt: 'poppler-utils', brew: 'poppler' }], say);
  const index = await printPreview(folder, await provideChromium(say));
  say(`Printed ${PREVIEW_CASES.length} labels: ${index}`);
}

function parseOptions(): { out: string; help: boolean } | undefined {
  try {
    const { values } = parseArgs({
      options: { out: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
    });
    return { out: resolve(values.out ?? '.local/labels-preview'), help: values.help ?? false };
  } catch {
    return undefined;
  }
}

const options = parseOptions();
if (!options) {
  process.stderr.write('Wrong usage. See npm run labels:preview -- --help\n');
  process.exitCode = 2;
} else if (options.help) say(HELP);
else
  await preview(options.out).catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    process.exitCode = 1;
  });
