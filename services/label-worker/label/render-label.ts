import { isLabel, type PrintPayload } from '#shared/printing/label-job.ts';
import { documentOf, type PrintKind } from '#shared/printing/print-kinds.ts';
import type { Drawing } from '../drawing.ts';
import { Sheet } from './sheet.ts';
import type { LabelTemplate } from './template-files/compile-template.ts';
import { type LabelTemplates, OUR_TEMPLATES } from './templates.ts';
import { labelView } from './view.ts';

/** `html` is for Chromium, `title` for the PDF, and we draw `drawing` on the pages, of which each shows `letters` at least. */
export type RenderedPages = { html: string; title: string; drawing: Drawing; letters: number[] };
/** A label above its kind's underlay, with the values of each page's codes. */
export type RenderedLabel = RenderedPages & { kind: PrintKind; codes: string[][] };

/** @throws if the label cannot be drawn, for example a tracking address that is too long for its QR code. */
export function renderLabel(label: PrintPayload, templates: LabelTemplates = OUR_TEMPLATES): RenderedLabel {
  const { kind, number } = label;
  const sheet = new Sheet();
  const title = draw(label, templates, sheet);
  return { kind, ...pagesOf(sheet, templates[kind], `${title} ${number}`), codes: sheet.codes() };
}

/** The styles of an operator's own template may hide or cut text. So only a page on which nothing is left is wrong. */
function pagesOf(sheet: Sheet, { kind, isOurs }: LabelTemplate, title: string): RenderedPages {
  const letters = sheet.letters().map((count) => (isOurs ? count : Math.min(count, 1)));
  return { html: sheet.html(kind), title, drawing: sheet.drawing(), letters };
}

/** Draws a label or a document. @returns what its number is the number of, for the title. */
function draw(label: PrintPayload, templates: LabelTemplates, sheet: Sheet): string {
  const template = templates[label.kind];
  if (isLabel(label)) {
    template.draw(labelView(label), sheet);
    return 'Guía';
  }
  const document = documentOf(label.kind);
  for (const [index, page] of document.views(label).entries()) {
    sheet.onPage(index, () => template.draw(page, sheet));
  }
  return document.title;
}

/** All pages are of one kind, so that its template's styles touch no other kind. */
export function printBody(
  kind: PrintKind,
  pages: readonly Pick<RenderedPages, 'html'>[],
  templates: LabelTemplates = OUR_TEMPLATES,
): string {
  return templates[kind].head + pages.map(({ html }) => html).join('');
}

/** Renders what all labels of a kind share, if anything, as one page. */
export function renderUnderlay(
  kind: PrintKind,
  templates: LabelTemplates = OUR_TEMPLATES,
): RenderedPages | undefined {
  const template = templates[kind];
  if (!template.drawUnderlay) return undefined;
  const sheet = new Sheet();
  template.drawUnderlay(sheet);
  const pages = pagesOf(sheet, template, kind);
  // The styles of an own template may hide all of its captions.
  return template.isOurs ? pages : { ...pages, letters: [0] };
}
