import bwip from 'bwip-js';
import { type Figure, figure, type Place } from './figure.ts';

/** Light margin on either side, in modules (ISO/IEC 15417). */
const QUIET = 10;

/**
 * Code 128 of `text`, its bars as one path.
 *
 * @param X width of the narrowest bar, in dots.
 * @param place `room` is the height of the bars.
 */
export function barcode(text: string, X: 3 | 4, { middle, top, room: height }: Place): Figure {
  const [symbol] = bwip.raw('code128', text, {});
  if (!symbol || !('sbs' in symbol)) throw new Error('Code 128 came back as pixels, not as bars');
  let x = QUIET * X;
  let path = '';
  for (const [i, modules] of symbol.sbs.entries()) {
    const width = modules * X;
    if (i % 2 === 0) path += `M${x} 0h${width}v${height}h-${width}z`;
    x += width;
  }
  const width = x + QUIET * X;
  return figure(path, middle - Math.round(width / 2), top);
}
