import QRCode from 'qrcode';
import type { Rect } from '../drawing.ts';
import { code128 } from './code-128.ts';

/** Light margin on either side, in modules (ISO/IEC 15417). */
export const BARCODE_QUIET_ZONE = 10;

/** In dots. `y` and `height` are of the bars, and `module` is the width of the narrowest bar. */
export type BarcodePosition = { middle: number; y: number; height: number; module: number };

export function barcode(text: string, { middle, y, height, module }: BarcodePosition): Rect[] {
  const widths = code128(text);
  const width = widths.reduce((sum, modules) => sum + modules, 2 * BARCODE_QUIET_ZONE) * module;
  let x = middle - Math.round(width / 2) + BARCODE_QUIET_ZONE * module;
  const bars: Rect[] = [];
  for (const [i, modules] of widths.entries()) {
    if (i % 2 === 0) bars.push([x, y, modules * module, height]);
    x += modules * module;
  }
  return bars;
}

/** Light margin around the symbol, in modules (ISO/IEC 18004). */
const QR_QUIET_ZONE = 4;
/** Smallest module, in dots: 0.5 mm (Denso Wave's rule for heads of 203 dpi). */
const MIN_MODULE = 4;

/** In dots: the space's middle, top and side. A smaller code is centred in it. */
export type QrPosition = { middle: number; y: number; size: number };

/**
 * Returns the dark modules of a QR code, level M, with its quiet zone inside its space. A module is as large as the
 * space allows, in whole dots. The mask is fixed, because choosing one takes most of the time and scanners read any.
 * @throws if the text is too long for modules that a scanner can read.
 */
export function qr(text: string, { middle, y, size }: QrPosition): Rect[] {
  const { modules } = QRCode.create([{ data: Buffer.from(text), mode: 'byte' }], {
    errorCorrectionLevel: 'M',
    maskPattern: 3,
  });
  const units = modules.size + 2 * QR_QUIET_ZONE;
  const module = Math.floor(size / units);
  if (module < MIN_MODULE) {
    throw new Error(`The QR code of ${text.length} characters needs modules of less than ${MIN_MODULE} dots`);
  }
  const side = units * module;
  const left = middle - Math.round(side / 2) + QR_QUIET_ZONE * module;
  const top = y + Math.round((size - side) / 2) + QR_QUIET_ZONE * module;
  return darkRuns(modules, left, top, module);
}

type BitMatrix = { data: Uint8Array; size: number };

/** Joins dark modules that follow each other in a row. `left`, `top` and `module` are in dots. */
function darkRuns({ data, size }: BitMatrix, left: number, top: number, module: number): Rect[] {
  const runs: Rect[] = [];
  for (let row = 0; row < size; row++) {
    for (let column = 0; column < size; column++) {
      const start = column;
      while (column < size && data[row * size + column]) column++;
      if (column > start) {
        runs.push([left + start * module, top + row * module, (column - start) * module, module]);
      }
    }
  }
  return runs;
}
