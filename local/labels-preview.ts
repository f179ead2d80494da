import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { OUR_FOLDER } from '#services/label-worker/label/templates.ts';
import { preview } from '#services/label-worker/preview/preview.ts';
import { provideChromium } from './programs/chromium.ts';

/** `npm run labels:preview`: prints sample labels for people to look at. Exit code 0: done, 1: failed, 2: wrong usage. */

const HELP = `Usage: npm run labels:preview -- [--templates <folder>] [--out <folder>] [--watch]

Prints sample labels as PDF and PNG, with a page (index.html) that shows them side by side and says what is wrong.

  --templates <folder>  templates of your own (docs/labels.md); ours unless given
  --out <folder>        where the labels go; .local/labels-preview unless given
  --watch               prints them again when a template changes, until Ctrl-C; the page reloads itself
  -h, --help            this text`;

const say = (line: string) => process.stdout.write(`${line}\n`);

type Options = { templates: string; out: string; watch: boolean; help: boolean };

async function printAll({ templates, out, watch }: Options): Promise<void> {
  const end = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => end.abort());
  const options = { templates, out, executablePath: await provideChromium(say) };
  for await (const { index, names, problems } of preview(options, watch ? end.signal : undefined)) {
    say(`Printed ${names.length} labels: ${index}`);
    for (const problem of problems) process.stderr.write(`${problem}\n`);
    if (!watch && problems.length > 0) process.exitCode = 1;
  }
}

function parseOptions(): Options | undefined {
  try {
    const { values } = parseArgs({
      options: {
        templates: { type: 'string' },
        out: { type: 'string' },
        watch: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    });
    const { templates = OUR_FOLDER, out = '.local/labels-preview', watch = false, help = false } = values;
    return { templates: resolve(templates), out: resolve(out), watch, help };
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
  await printAll(options).catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    process.exitCode = 1;
  });
