import type { PdfChunk } from '#shared/pdf/pdf-writer.ts';
import { type Drawing, POINTS_PER_DOT, type Shape } from '../drawing.ts';

/**
 * A page that is laid below labels: a form XObject (ISO 32000-1, 8.10), followed by its objects, numbered from
 * `FIRST_OBJECT` on.
 */
export type PdfUnderlay = readonly PdfChunk[];

/**
 * One label's pages in a print. `title` is the title of the label's file, `letters` how many letters each page shows at
 * least.
 */
export type LabelPages = {
  title: string;
  drawing: Drawing;
  letters: readonly number[];
  underlay?: PdfUnderlay | undefined;
};

/** Differs from Chromium's names, which have a number. */
export const UNDERLAY_NAME = 'Underlay';

/**
 * A label's drawing as PDF content streams (ISO 32000-1, 7.8.2). A page has four, in this order: `SAVE_STATE`,
 * Chromium's, `shared`, and its own of `pages`.
 */
export type ContentStreams = { shared: string; pages: string[] };

/** Saves the state before Chromium's stream. It is restored afterwards, because that stream leaves its scale behind. */
export const SAVE_STATE = 'q\n';

/** @param height of the page, in points: PDF counts from the bottom. */
export function contentStreams(
  { drawing, underlay }: Pick<LabelPages, 'drawing' | 'underlay'>,
  height: number,
): ContentStreams {
  const { shared, pages } = drawing;
  const scale = POINTS_PER_DOT.toFixed(12);
  const inset = INSET * POINTS_PER_DOT;
  const dots = `${scale} 0 0 -${scale} ${inset.toFixed(12)} ${(height - inset).toFixed(12)} cm`;
  return {
    shared: `\nQ ${underlay ? `/${UNDERLAY_NAME} Do ` : ''}q ${dots}\n${rectangles(shared)}`,
    pages: pages.map((own) => `${rectangles(own)}f Q\n`),
  };
}

/**
 * In dots, on each side of a rectangle. PDF printers ink every dot that an area touches (ISO 32000-1, 10.6.5), and sums
 * of binary fractions could touch one more.
 */
const INSET = 0.001;
/** What a width of whole dots ends with after both insets. */
const LESS_INSETS = '.998';

/**
 * Writes each rectangle smaller by its insets, of which the page's coordinates have the left and upper one.
 * @throws unless all numbers are whole dots: printers drop numbers that they cannot read, such as `42.5.001`.
 */
function rectangles(shapes: readonly Shape[]): string {
  let operators = '';
  for (const shape of shapes) {
    for (const rectangle of shape) {
      if (!rectangle.every(Number.isInteger))
        throw new Error(`A rectangle is not in whole dots: ${rectangle.join(', ')}`);
      const [x, y, width, height] = rectangle;
      operators += `${x} ${y} ${width - 1}${LESS_INSETS} ${height - 1}${LESS_INSETS} re\n`;
    }
  }
  return operators;
}
