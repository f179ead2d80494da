/**
 * What a label has in whole dots of a thermal head: the bars and modules of its codes, and its rules. We write it into
 * the PDF ourselves, after Chromium has set the texts: Chromium counts in pixels of a screen, and took a fifth of its
 * time to draw these.
 */

/** A black rectangle in dots of a head with 8 dots a millimetre ("203 dpi"), from the page's upper left corner. */
export type Rect = readonly [x: number, y: number, width: number, height: number];

/** Of a label: each page has all `rules` and the QR, and the barcode of its turn. */
export type Drawing = { rules: readonly Rect[]; qr: readonly Rect[]; barcodes: readonly (readonly Rect[])[] };

/** A code's place on its page, in dots: its middle, its top, and its room with the quiet zones. */
export type Place = { middle: number; top: number; room: number };

const POINTS_PER_DOT = 72 / 25.4 / 8;

/**
 * Content streams (ISO 32000-1, 7.8.2) of a label's pages. On a page stand, in this order: `BEFORE`, Chromium's own,
 * `common`, and the page's of `own`; only all of them together are whole.
 */
export type Strokes = { common: string; own: string[] };

/** Chromium leaves its own scale behind, so its part is put in brackets. */
export const BEFORE = 'q\n';

/** @param height of the page, in points: PDF counts from below. */
export function strokes({ rules, qr, barcodes }: Drawing, height: number): Strokes {
  const scale = POINTS_PER_DOT.toFixed(12);
  return {
    common: `\nQ q ${scale} 0 0 -${scale} 0 ${height} cm\n${rectangles(rules)}${rectangles(qr)}`,
    own: barcodes.map((bars) => `${rectangles(bars)}f Q\n`),
  };
}

/**
 * A thousandth of a dot smaller on each side: PDF's printers ink every dot that an area touches (ISO 32000-1, 10.6.5),
 * and an edge that lies a millionth off, as sums of binary fractions do, would touch one more.
 */
function rectangles(rects: readonly Rect[]): string {
  let operators = '';
  for (const [x, y, width, height] of rects)
    operators += `${x}.001 ${y}.001 ${width - 1}.998 ${height - 1}.998 re\n`;
  return operators;
}
