import type { LabelPayload } from '#shared/contracts/label-job.ts';
import type { Drawing } from '../drawing.ts';
import { Sheet } from './sheet.ts';
import { type LabelTemplates, OUR_TEMPLATES } from './templates.ts';
import { labelView } from './view.ts';

/** `html` is for Chromium, `title` for the PDF, and we draw `drawing` on the pages. */
export type RenderedPages = { html: string; title: string; drawing: Drawing };
/** A label above its kind's underlay, with the values of each page's codes. */
export type RenderedLabel = RenderedPages & { kind: LabelPayload['kind']; codes: string[][] };

/** @throws if the label cannot be drawn, for example a tracking address that is too long for its QR code. */
export function renderLabel(label: LabelPayload, templates: LabelTemplates = OUR_TEMPLATES): RenderedLabel {
  const { kind, number } = label;
  const sheet = new Sheet();
  templates[kind].draw(labelView(label), sheet);
  const codes = sheet.codes();
  return { kind, html: sheet.html(kind), title: `Guía ${number}`, drawing: sheet.drawing(), codes };
}

/** All pages are of one kind, so that its template's styles touch no other kind. */
export function printBody(
  kind: LabelPayload['kind'],
  pages: readonly Pick<RenderedPages, 'html'>[],
  templates: LabelTemplates = OUR_TEMPLATES,
): string {
  return templates[kind].head + pages.map(({ html }) => html).join('');
}

/** Renders what all labels of a kind share, if anything, as one page. */
export function renderUnderlay(
  kind: LabelPayload['kind'],
  templates: LabelTemplates = OUR_TEMPLATES,
): RenderedPages | undefined {
  const { drawUnderlay } = templates[kind];
  if (!drawUnderlay) return undefined;
  const sheet = new Sheet();
  drawUnderlay(sheet);
  return { html: sheet.html(kind), title: kind, drawing: sheet.drawing() };
}
