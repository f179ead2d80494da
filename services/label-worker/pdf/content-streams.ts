import { type Drawing, POINTS_PER_DOT, type Shape } from '../drawing.ts';
import { type PdfUnderlay, UNDERLAY_NAME } from './underlay.ts';

/** One label's pages of a print: the title of its file, what is drawn on each of the pages, and the underlay below them. */
export type LabelPages = { title: string; drawing: Drawing; underlay?: PdfUnderlay | undefined };

/**
 * A label's drawing as PDF content streams (ISO 32000-1, 7.8.2). A page has four in this order: `SAVE_STATE`, Chromium's
 * own, `shared`, and its own of `pages`. Only all of them together are complete.
 */
export type ContentStreams = { shared: string; pages: string[] };

/** Chromium's stream leaves its scale behind; saving the state before and restoring it after undoes that. */
export const SAVE_STATE = 'q\n';

/** @param height of the page, in points: PDF counts from the bottom. */
export function contentStreams({ drawing, underlay }: LabelPages, height: number): ContentStreams {
  const { shared, pages } = drawing;
  const scale = POINTS_PER_DOT.toFixed(12);
  return {
    shared: `\nQ ${underlay ? `/${UNDERLAY_NAME} Do ` : ''}q ${scale} 0 0 -${scale} 0 ${height} cm\n${rectangles(shared)}`,
    pages: pages.map((own) => `${rectangles(own)}f Q\n`),
  };
}

/**
 * Writes each rectangle a thousandth of a dot smaller on each side: PDF printers ink every dot that an area touches
 * (ISO 32000-1, 10.6.5), and an edge that lies a millionth off, as sums of binary fractions do, would touch one more.
 *
 * @throws for a place or size that is no whole dot: `42.5.001` is no number, and printers drop what they cannot read.
 */
function rectangles(shapes: readonly Shape[]): string {
  let operators = '';
  for (const shape of shapes) {
    for (const rectangle of shape) {
      if (!rectangle.every(Number.isInteger))
        throw new Error(`A rectangle is not in whole dots: ${rectangle.join(', ')}`);
      const [x, y, width, height] = rectangle;
      operators += `${x}.001 ${y}.001 ${width - 1}.998 ${height - 1}.998 re\n`;
    }
  }
  return operators;
}
