import { readFileSync } from 'node:fs';
import { type LabelPayload, pageCount } from '#shared/contracts/label-job.ts';
import { KINDS, LABEL_KINDS } from '#shared/contracts/label-kinds.ts';
import type { Rect } from '../../drawing.ts';
import { renderLabel } from '../render-label.ts';
import { type LabelTemplates, OUR_TEMPLATES } from '../templates.ts';
import { compileTemplate, type LabelTemplate } from './compile-template.ts';
import { everywhere, LEAST, sample } from './sample-labels.ts';
import { lineOf } from './scoped-styles.ts';
import { TemplateError } from './template-error.ts';

type Kind = LabelPayload['kind'];

/** How templates are tried: what a function finds in pages as HTML, and a whole print. */
export type Trial = {
  inspect(body: string, inspection: string): Promise<unknown>;
  print(label: LabelPayload): Promise<unknown>;
};

/** What `inspect-pages.js` finds. */
type Finding = { line?: number; problem: string };
const INSPECTION = readFileSync(new URL('inspect-pages.js', import.meta.url), 'utf8').replace(/;\s*$/, '');
/** Dots in the units of a page's size. */
const DOTS = { mm: 8, cm: 80, in: 8 * 25.4 };

/**
 * Tries each template of an operator's own with labels of every field, of the fewest, and of the longest texts.
 *
 * @throws TemplateError when one does not print with all its codes and pages, or lets something out of its page.
 */
export async function checkTemplates(templates: LabelTemplates, trial: Trial): Promise<void> {
  const own = LABEL_KINDS.filter((kind) => templates[kind] !== OUR_TEMPLATES[kind]);
  for (const kind of own) await checkTemplate(kind, templates, trial);
}

async function checkTemplate(kind: Kind, templates: LabelTemplates, trial: Trial): Promise<void> {
  const template = templates[kind];
  const traced = {
    ...templates,
    [kind]: compileTemplate(
      { ...template, ...lined(template), styledAs: kind },
      { trace: true, whole: true },
    ),
  };
  for (const label of trialLabels(kind)) {
    const { html, drawing } = renderLabel(label, traced);
    const pages = pageCount(label);
    if (drawing.pages.length !== pages) {
      const found = `${drawing.pages.length} pages for ${pages} packages`;
      throw new TemplateError(template.file, undefined, `${found}: {{#eachPackage}} makes a page for each`);
    }
    const [finding] = (await trial.inspect(`${html}<section>end</section>`, INSPECTION)) as Finding[];
    if (finding) throw new TemplateError(template.file, finding.line, finding.problem);
    if (![...drawing.shared, ...drawing.pages.flat()].flat().every((part) => isInside(part, template)))
      throw new TemplateError(template.file, undefined, 'a code or rule reaches out of the page');
    await trial.print(label).catch((error: Error) => {
      const { message } = error.cause instanceof Error ? error.cause : error;
      throw new TemplateError(template.file, undefined, message, { cause: error });
    });
  }
}

function trialLabels(kind: Kind): LabelPayload[] {
  const packages = KINDS[kind].pagePerPackage ? 3 : 1;
  return [
    sample({ kind, packages }),
    sample({ kind, packages, guide: LEAST, service: 'the service' }),
    everywhere('W'.repeat(250), { kind, packages }),
    everywhere('palabra '.repeat(32), { kind, packages }),
  ];
}

/** Returns the source with the number of its line on each element. */
function lined({ source }: LabelTemplate): { source: string } {
  return {
    source: source.replace(
      /\{\{[\s\S]*?\}\}|<([a-z][\w-]*)/gi,
      (part, element: string | undefined, at: number) =>
        element ? `${part} data-line="${lineOf(source, at)}"` : part,
    ),
  };
}

function isInside([x, y, width, height]: Rect, { size }: LabelTemplate): boolean {
  return x >= 0 && y >= 0 && x + width <= dots(size.width) && y + height <= dots(size.height);
}

function dots(length: string): number {
  return Number.parseFloat(length) * DOTS[length.slice(-2) as keyof typeof DOTS];
}
