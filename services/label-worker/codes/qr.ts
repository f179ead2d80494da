import QRCode from 'qrcode';
import type { Place, Rect } from '../pdf/drawing.ts';

/** Light margin around the symbol, in modules (ISO/IEC 18004). */
const QUIET = 4;
/** Smallest module, in dots: 0.5 mm (Denso Wave's rule for heads of 203 dpi). */
const MIN_MODULE = 4;

/**
 * QR code of `text`, level M; its modules are as large as the room allows, in whole dots.
 *
 * The mask is fixed: choosing it costs most of a QR's time (0.1 of 0.13 ms), and a reader takes any.
 *
 * @param place `room` is the longest side with the quiet zone; a smaller code stands in its middle.
 * @throws when the text is too long for modules that a scanner can read.
 */
export function qr(text: string, { middle, top, room }: Place): Rect[] {
  const { modules } = QRCode.create([{ data: Buffer.from(text), mode: 'byte' }], {
    errorCorrectionLevel: 'M',
    maskPattern: 3,
  });
  const units = modules.size + 2 * QUIET;
  const module = Math.floor(room / units);
  if (module < MIN_MODULE) {
    throw new Error(`QR of ${text.length} characters: its modules would be smaller than ${MIN_MODULE} dots`);
  }
  const side = units * module;
  const [left, upper] = [middle - Math.round(side / 2), top + Math.round((room - side) / 2)];
  return runs(modules.data, modules.size).map(([x, y, length]) => [
    left + (QUIET + x) * module,
    upper + (QUIET + y) * module,
    length * module,
    module,
  ]);
}

/** Dark modules that follow each other in a row. */
function runs(dark: Uint8Array, size: number): [x: number, y: number, length: number][] {
  const found: [number, number, number][] = [];
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      const start = x;
      while (x < size && dark[y * size + x]) x++;
      if (x > start) found.push([start, y, x - start]);
    }
  }
  return found;
}
