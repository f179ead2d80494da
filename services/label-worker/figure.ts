/** CSS pixels in a dot of a thermal head with 8 dots a millimetre ("203 dpi"). */
export const PX_PER_DOT = 96 / 25.4 / 8;

/**
 * A code, as the template `figure.hbs` draws it.
 *
 * Its box is a whole number of CSS pixels: Chromium stretches an inline SVG to whole pixels, and bars that
 * were three or four dots wide would no longer be.
 */
export type Figure = {
  /** Size of the box with the quiet zones, in CSS pixels. */
  width: number;
  height: number;
  /** CSS pixels in a unit of the path. */
  scale: number;
  path: string;
};

/** @param width of the drawing in dots; so is `height`. @param unit dots in a unit of the path. */
export function figure(path: string, width: number, height: number, unit = 1): Figure {
  return {
    width: Math.ceil(width * PX_PER_DOT),
    height: Math.ceil(height * PX_PER_DOT),
    scale: unit * PX_PER_DOT,
    path,
  };
}
