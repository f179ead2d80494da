import QRCode from 'qrcode';
import type { Rect } from '../drawing.ts';

/** Light margin around the symbol, in modules (ISO/IEC 18004). */
const QUIET_ZONE = 4;
/** Smallest module, in dots: 0.5 mm (Denso Wave's rule for heads of 203 dpi). */
const MIN_MODULE = 4;

/** In dots: the middle, the top and the side of the room; a code that is smaller stands in the room's middle. */
export type QrPlace = { middle: number; y: number; size: number };

/**
 * Returns the dark modules of the QR code of a text, level M, with its quiet zone inside its room. A module is as large
 * as the room allows, in whole dots.
 *
 * The mask is fixed: choosing it costs most of a QR code's time (0.1 of 0.13 ms), and scanners read any.
 *
 * @throws when the text is too long for modules that a scanner can read.
 */
export function qr(text: string, { middle, y, size }: QrPlace): Rect[] {
  const { modules } = QRCode.create([{ data: Buffer.from(text), mode: 'byte' }], {
    errorCorrectionLevel: 'M',
    maskPattern: 3,
  });
  const units = modules.size + 2 * QUIET_ZONE;
  const module = Math.floor(size / units);
  if (module < MIN_MODULE) {
    throw new Error(`The QR code of ${text.length} characters needs modules of less than ${MIN_MODULE} dots`);
  }
  const side = units * module;
  const [left, top] = [middle - Math.round(side / 2), y + Math.round((size - side) / 2)];
  return darkRuns(modules.data, modules.size).map(([column, row, length]) => [
    left + (QUIET_ZONE + column) * module,
    top + (QUIET_ZONE + row) * module,
    length * module,
    module,
  ]);
}

/** Returns dark modules that follow each other in a row as one run. */
function darkRuns(dark: Uint8Array, size: number): [column: number, row: number, length: number][] {
  const runs: [number, number, number][] = [];
  for (let row = 0; row < size; row++) {
    for (let column = 0; column < size; column++) {
      const start = column;
      while (column < size && dark[row * size + column]) column++;
      if (column > start) runs.push([start, row, column - start]);
    }
  }
  return runs;
}
