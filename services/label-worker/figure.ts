/** CSS pixels in a dot of a thermal head with 8 dots a millimetre ("203 dpi"). */
const PX_PER_DOT = 96 / 25.4 / 8;

/**
 * A code, as the template `codes.hbs` draws it: in dots from the page's corner, so that each edge of a bar is
 * where a dot of the head ends. (Chromium moves and stretches an SVG of its own to whole CSS pixels, which are
 * no dots; so all codes of a page are in one SVG that covers it.)
 */
export type Figure = { path: string; transform: string };

/** A code's place on its page, in dots: its middle, its top, and its room with the quiet zones. */
export type Place = { middle: number; top: number; room: number };

/** @param x, y of the drawing's corner, in dots. @param unit dots in a unit of the path. */
export function figure(path: string, x: number, y: number, unit = 1): Figure {
  const px = (dots: number) => dots * PX_PER_DOT;
  return { path, transform: `translate(${px(x)} ${px(y)})scale(${px(unit)})` };
}
