import bwip from 'bwip-js';
import type { Place, Rect } from '../pdf/drawing.ts';

/** Light margin on either side, in modules (ISO/IEC 15417). */
const QUIET = 10;

/**
 * The bars of Code 128 of `text`.
 *
 * @param X width of the narrowest bar, in dots.
 * @param place `room` is the height of the bars.
 */
export function barcode(text: string, X: 3 | 4, { middle, top, room: height }: Place): Rect[] {
  const [symbol] = bwip.raw('code128', text, {});
  if (!symbol || !('sbs' in symbol)) throw new Error('Code 128 came back as pixels, not as bars');
  const width = symbol.sbs.reduce((sum, modules) => sum + modules, 2 * QUIET) * X;
  let x = middle - Math.round(width / 2) + QUIET * X;
  const bars: Rect[] = [];
  for (const [i, modules] of symbol.sbs.entries()) {
    if (i % 2 === 0) bars.push([x, top, modules * X, height]);
    x += modules * X;
  }
  return bars;
}
