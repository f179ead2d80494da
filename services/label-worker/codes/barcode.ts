import bwip from 'bwip-js';
import type { Rect } from '../drawing.ts';

/** Light margin on either side, in modules (ISO/IEC 15417). */
export const QUIET_ZONE = 10;

/** In dots: the middle of the code, the top and the height of its bars, and the width of its narrowest bar. */
export type BarcodePlace = { middle: number; y: number; height: number; module: number };

/** Returns the bars of the Code 128 of a text. */
export function barcode(text: string, { middle, y, height, module }: BarcodePlace): Rect[] {
  const [symbol] = bwip.raw('code128', text, {});
  // In turns the widths of a bar and of the space behind it, in modules.
  if (!symbol || !('sbs' in symbol)) throw new Error('bwip-js returned a Code 128 without widths of bars');
  const width = symbol.sbs.reduce((sum, modules) => sum + modules, 2 * QUIET_ZONE) * module;
  let x = middle - Math.round(width / 2) + QUIET_ZONE * module;
  const bars: Rect[] = [];
  for (const [i, modules] of symbol.sbs.entries()) {
    if (i % 2 === 0) bars.push([x, y, modules * module, height]);
    x += modules * module;
  }
  return bars;
}
