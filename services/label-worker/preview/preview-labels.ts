import { readdirSync, readFileSync } from 'node:fs';
import { join, parse } from 'node:path';
import type { LabelPayload } from '#shared/contracts/label-job.ts';
import { LABEL_KINDS } from '#shared/contracts/label-kinds.ts';
import { createLogger } from '#shared/observability/logger.ts';
import { createLabelPrinter } from '../batching/label-printer.ts';
import { printUnderlays } from '../batching/print-underlays.ts';
import { startPrintingBrowser } from '../browser/printing-browser.ts';
import { startPdfium } from '../images/pdfium.ts';
import { toPng } from '../images/png.ts';
import { labelDocument } from '../label/document.ts';
import { checkTemplates } from '../label/template-files/check-templates.ts';
import { readOwnTemplate } from '../label/template-files/own-templates.ts';
import { TemplateError } from '../label/template-files/template-error.ts';
import { type LabelTemplates, OUR_TEMPLATES } from '../label/templates.ts';
import { PREVIEW_CASES } from './preview-cases.ts';

/** Those of a thermal head of 203 dpi. */
const DOTS_PER_MM = 8;
/** Lines of a template that are shown before and behind a wrong one. */
const AROUND = 2;

/** A template that cannot be used, with the lines around the wrong one. */
export type Problem = { message: string; lines: { number: number; text: string; wrong: boolean }[] };

/** All preview cases as a folder's templates print them; what they print is kept until `close`. */
export type PreviewLabels = {
  templates: LabelTemplates;
  problems: readonly Problem[];
  /** The kinds whose template cannot be read; there is nothing that prints them. */
  unread: ReadonlySet<string>;
  /** @param name of a preview case. */
  pdf(name: string): Promise<Buffer>;
  /** Its first page, dot for dot as a thermal head of 203 dpi prints it. */
  png(name: string): Promise<Buffer>;
  close(): Promise<void>;
};

/**
 * Starts a Chromium and reads the templates of a folder, ours unless given.
 *
 * @param executablePath Chromium's.
 */
export async function openPreview(folder: string, executablePath: string): Promise<PreviewLabels> {
  const { templates, problems, unread } = readTemplates(folder);
  const browser = await startPrintingBrowser(
    {
      executablePath,
      sandboxRequired: false,
      document: labelDocument(templates),
      concurrency: 1,
      printTimeoutMs: 20_000,
    },
    createLogger('preview', 'error'),
  );
  const printer = createLabelPrinter({
    templates,
    underlays: await printUnderlays(browser.print, templates),
    printHtml: browser.print,
    concurrency: 1,
    maxLabels: 10,
  });
  for (const kind of LABEL_KINDS) {
    const one = { ...OUR_TEMPLATES, [kind]: templates[kind] };
    await checkTemplates(one, { inspect: browser.inspect, print: printer.print }).catch((error: unknown) =>
      problems.push(problemOf(error)),
    );
  }
  const pdf = keptByName((name) => printer.print(caseOf(name)).then(Buffer.from));
  const rasterize = await startPdfium();
  const png = keptByName(async (name) => toPng(rasterize(await pdf(name), 0, DOTS_PER_MM), DOTS_PER_MM));
  return { templates, problems, unread, pdf, png, close: () => browser.close() };
}

function readTemplates(folder: string) {
  const problems: Problem[] = [];
  const unread = new Set<string>();
  const read = readdirSync(folder)
    .filter((name) => !name.startsWith('.'))
    .flatMap((name) => {
      try {
        return [readOwnTemplate(folder, name)];
      } catch (error) {
        problems.push(problemOf(error));
        unread.add(parse(name).name);
        return [];
      }
    });
  const templates: LabelTemplates = { ...OUR_TEMPLATES, ...Object.fromEntries(read) };
  return { templates, problems, unread };
}

function problemOf(error: unknown): Problem {
  if (!(error instanceof TemplateError)) throw error;
  const { message, file, line } = error;
  const source = line === undefined ? [] : readFileSync(file, 'utf8').split('\n');
  const numbered = source.map((text, i) => ({ number: i + 1, text, wrong: i + 1 === line }));
  return { message, lines: numbered.filter(({ number }) => Math.abs(number - (line ?? 0)) <= AROUND) };
}

function caseOf(name: string): LabelPayload {
  const found = PREVIEW_CASES.find((one) => one.name === name);
  if (!found) throw new Error(`There is no preview case "${name}"`);
  return found.label;
}

function keptByName<T>(make: (name: string) => Promise<T>): (name: string) => Promise<T> {
  const kept = new Map<string, Promise<T>>();
  return (name) => {
    const one = kept.get(name) ?? make(name);
    kept.set(name, one);
    return one;
  };
}

/** The folder of our templates, which can be watched too. */
export const OUR_FOLDER = join(import.meta.dirname, '../label/templates');
