/**
 * The rules, bars and modules of a label in whole dots, which the label worker writes into the PDF itself
 * (docs/decisions/0002-codes-in-whole-dots.md). A dot is that of a thermal head with 8 dots a millimetre, which the
 * trade calls 203 dpi. `x` grows to the right and `y` downwards from the page's upper left corner, in dots.
 */

export const DOTS_PER_MM = 8;
export const POINTS_PER_DOT = 72 / 25.4 / DOTS_PER_MM;
export const DOTS_PER_POINT = (DOTS_PER_MM * 25.4) / 72;
export const CSS_PIXELS_PER_DOT = 96 / 25.4 / DOTS_PER_MM;

export type Rect = readonly [x: number, y: number, width: number, height: number];

/** A rule is one rectangle; a code has one for each bar or run of modules. */
export type Shape = readonly Rect[];

/**
 * A shape that the print positions: HTML has a link to `floatingHref` as large as `room`, and the PDF has its
 * position.
 */
export type FloatingShape = { shape: Shape; room: Rect };

/** `shared` is drawn on every page, `pages[i]` on page `i` alone, `floating` at the page's link. */
export type Drawing = {
  shared: readonly Shape[];
  pages: readonly (readonly Shape[])[];
  floating?: readonly FloatingShape[];
};

/** Returns the address of the link to the floating shape `index`, in HTML and so in the PDF. */
export function floatingHref(index: number): string {
  return `code:${index}`;
}
