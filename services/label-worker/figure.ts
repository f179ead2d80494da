/** CSS pixels in a dot of a thermal head with 8 dots a millimetre ("203 dpi"); labels are drawn in dots. */
export const PIXELS_PER_DOT = 96 / 25.4 / 8;

/** A code as its template draws it: a path, moved and scaled in whole dots of the page. */
export type Figure = { path: string; transform: string };

/** A code's place on its page, in dots: its middle, its top, and its room with the quiet zones. */
export type Place = { middle: number; top: number; room: number };

/** @param x, y of the drawing's corner, in dots. @param unit dots in a unit of the path. */
export function figure(path: string, x: number, y: number, unit = 1): Figure {
  return { path, transform: `translate(${x} ${y})scale(${unit})` };
}
