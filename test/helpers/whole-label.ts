import type { Rect } from '../../services/label-worker/drawing.ts';
import { labelDrawing } from '../../services/label-worker/label-drawing.ts';
import { labelHtml } from '../../services/label-worker/label-html.ts';
import type { LabelPayload } from '../../shared/label-job.ts';

/**
 * A label as HTML with its drawing in it, which the product writes into the PDF: to be looked at in a browser, and for
 * printers that are measured beside ours. Rows of the QR are strokes, which Chromium draws faster than rectangles.
 */
export function wholeLabelHtml(label: LabelPayload): string {
  const { rules, qr, barcodes } = labelDrawing(label);
  const common = `<path class="rules" d="${filled(rules)}"/>${stroked('qr', qr)}`;
  let page = 0;
  return labelHtml(label).replaceAll(
    '<text>',
    () => `${common}<path class="barcode" d="${filled(barcodes[page++] ?? [])}"/><text>`,
  );
}

function filled(rects: readonly Rect[]): string {
  return rects.map(([x, y, width, height]) => `M${x} ${y}h${width}v${height}h-${width}z`).join('');
}

function stroked(name: string, rows: readonly Rect[]): string {
  const thick = rows[0]?.[3] ?? 0;
  const path = rows.map(([x, y, width]) => `M${x} ${y + thick / 2}h${width}`).join('');
  return `<path class="${name}" fill="none" stroke="#000" stroke-width="${thick}" d="${path}"/>`;
}
