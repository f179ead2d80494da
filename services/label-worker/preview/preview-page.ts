import { readFileSync } from 'node:fs';
import Handlebars from 'handlebars';
import { LABEL_KINDS } from '#shared/contracts/label-kinds.ts';
import { PREVIEW_CASES } from './preview-cases.ts';
import type { PreviewLabels } from './preview-labels.ts';

const render = Handlebars.compile(readFileSync(new URL('preview-page.hbs', import.meta.url), 'utf8'));

/**
 * Returns the page that shows the preview cases by kind, with their PDFs and PNGs beside it.
 *
 * @param shown.generation of a page that reloads itself when a template changes.
 */
export function previewPage(
  { templates, problems, unread }: PreviewLabels,
  shown: { templates: string; generation?: number },
): string {
  const kinds = LABEL_KINDS.map((kind) => ({
    kind,
    ...templates[kind].size,
    cases: unread.has(kind) ? [] : PREVIEW_CASES.filter(({ label }) => label.kind === kind),
  }));
  return render({ ...shown, isLive: shown.generation !== undefined, kinds, problems });
}
