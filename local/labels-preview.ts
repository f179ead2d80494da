import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { PREVIEW_CASES } from '#services/label-worker/preview/preview-cases.ts';
import { OUR_FOLDER } from '#services/label-worker/preview/preview-labels.ts';
import { printPreview } from '#services/label-worker/preview/print-preview.ts';
import { watchPreview } from '#services/label-worker/preview/watch-preview.ts';
import { provideChromium } from './programs/chromium.ts';

/** `npm run labels:preview`: prints sample labels for people to look at. Exit code 0: done, 1: failed, 2: wrong usage. */

const HELP = `Usage: npm run labels:preview -- [--templates <folder>] [--out <folder> | --watch [--port <port>]]

Prints ${PREVIEW_CASES.length} sample labels as PDF and PNG, and writes a page (index.html) that shows them side by side.

  --templates <folder>  templates of your own (docs/labels.md); of other kinds, and unless given, ours
  --out <folder>        where the labels go; .local/labels-preview unless given
  --watch               serves the page instead, at 127.0.0.1 until Ctrl-C; it reloads when a template changes
  --port <port>         of that page; 3010 unless given, 0: a free one
  -h, --help            this text`;

const say = (line: string) => process.stdout.write(`${line}\n`);

type Options = { templates: string; out: string; watch: boolean; port: number; help: boolean };

async function preview({ templates, out, watch, port }: Options): Promise<void> {
  const executablePath = await provideChromium(say);
  if (!watch) {
    const index = await printPreview(out, templates, executablePath);
    say(`Printed ${PREVIEW_CASES.length} labels: ${index}`);
    return;
  }
  const { url, close } = await watchPreview({ templates, executablePath, port });
  say(`The labels of ${templates}, until Ctrl-C: ${url}`);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void close());
}

function parseOptions(): Options | undefined {
  try {
    const { values } = parseArgs({
      options: {
        templates: { type: 'string' },
        out: { type: 'string' },
        watch: { type: 'boolean' },
        port: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    });
    const { templates = OUR_FOLDER, out = '.local/labels-preview', watch = false, help = false } = values;
    const port = Number(values.port ?? 3010);
    if (!Number.isInteger(port) || port < 0 || port > 65_535) return undefined;
    return { templates: resolve(templates), out: resolve(out), watch, port, help };
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
  await preview(options).catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    process.exitCode = 1;
  });
