import type { LabelPayload } from '#shared/contracts/label-job.ts';
import type { Drawing } from '../drawing.ts';
import { Sheet } from './sheet.ts';
import { type LabelTemplates, OUR_TEMPLATES } from './templates.ts';
import { labelView } from './view.ts';

/** A label, ready to print: the pages that Chromium sets as HTML, the PDF's title, and what we draw on its pages. */
export type RenderedLabel = { html: string; title: string; drawing: Drawing };

/**
 * Renders all pages of a label from the template of its kind.
 *
 * @throws when the label cannot be drawn, such as a tracking address too long for its QR code.
 */
export function renderLabel(label: LabelPayload, templates: LabelTemplates = OUR_TEMPLATES): RenderedLabel {
  const sheet = new Sheet();
  templates[label.kind].draw(labelView(label), sheet);
  return { html: sheet.html(label.kind), title: `Guía ${label.number}`, drawing: sheet.drawing() };
}
