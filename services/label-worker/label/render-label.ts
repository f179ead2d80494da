import type { LabelPayload } from '#shared/contracts/label-job.ts';
import type { Drawing } from '../drawing.ts';
import { Sheet } from './sheet.ts';
import { type LabelTemplates, OUR_TEMPLATES } from './templates.ts';
import { labelView } from './view.ts';

/** Pages, ready to print: what Chromium sets as HTML, the PDF's title, and what we draw on the pages. */
export type RenderedPages = { html: string; title: string; drawing: Drawing };
/** A label, to be laid on its kind's underlay, with what the codes of each of its pages say. */
export type RenderedLabel = RenderedPages & { kind: LabelPayload['kind']; codes: string[][] };

/**
 * Renders all pages of a label from the template of its kind.
 *
 * @throws when the label cannot be drawn, such as a tracking address too long for its QR code.
 */
export function renderLabel(label: LabelPayload, templates: LabelTemplates = OUR_TEMPLATES): RenderedLabel {
  const { kind, number } = label;
  const sheet = new Sheet();
  templates[kind].draw(labelView(label), sheet);
  const codes = sheet.codes();
  return { kind, html: sheet.html(kind), title: `Guía ${number}`, drawing: sheet.drawing(), codes };
}

/** Returns the body of a print, which holds pages of one kind alone: styles of its template touch no other. */
export function printBody(
  kind: LabelPayload['kind'],
  pages: readonly Pick<RenderedPages, 'html'>[],
  templates: LabelTemplates = OUR_TEMPLATES,
): string {
  return templates[kind].head + pages.map(({ html }) => html).join('');
}

/** Renders what all labels of a kind have in common, as one page. Where they have nothing, there is none. */
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
