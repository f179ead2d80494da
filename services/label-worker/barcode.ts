import bwip from 'bwip-js';
import { type Figure, figure } from './figure.ts';

/** Width of the narrowest bar, in dots: 0.5 mm, whole dots at 203 dpi. */
const X = 4;
/** Light margin on either side, in modules (ISO/IEC 15417). */
const QUIET = 10;

/**
 * Code 128 of `text`, its bars as one path.
 *
 * @param height of the bars, in dots (8 a millimetre).
 */
export function barcode(text: string, height: number): Figure {
  const [symbol] = bwip.raw('code128', text, {});
  if (!symbol || !('sbs' in symbol)) throw new Error('Code 128 came back as pixels, not as bars');
  let x = QUIET * X;
  let path = '';
  for (const [i, modules] of symbol.sbs.entries()) {
    const width = modules * X;
    if (i % 2 === 0) path += `M${x} 0h${width}v${height}h-${width}z`;
    x += width;
  }
  return figure(path, x + QUIET * X, height);
}
