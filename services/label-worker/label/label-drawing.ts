import type { LabelPayload } from '#shared/contracts/label-job.ts';
import { barcode } from '../codes/barcode.ts';
import { qr } from '../codes/qr.ts';
import type { Drawing, Place, Rect } from '../pdf/drawing.ts';
import { packageSuffix } from './label-html.ts';

/** The codes and rules of a label; the templates leave the room. */

type Kind = LabelPayload['kind'];
const PLACES: Record<Kind, { qr: Place; barcode: Place }> = {
  letter: {
    qr: { middle: 1455, top: 904, room: 44 * 8 },
    barcode: { middle: 1247, top: 1868, room: 22 * 8 },
  },
  small: { qr: { middle: 660, top: 73, room: 205 }, barcode: { middle: 400, top: 638, room: 12.5 * 8 } },
};

const RULES: Record<Kind, Rect[]> = {
  letter: [
    [96, 228, 1535, 4],
    [96, 686, 1535, 2],
    [96, 782, 1535, 2],
    [1247, 784, 2, 700],
    [96, 1484, 1535, 2],
    [863, 1486, 2, 648],
    [96, 1740, 1535, 2],
    [96, 1844, 1535, 2],
    [479, 1742, 2, 102],
    [1247, 1742, 2, 102],
  ],
  small: [
    [28, 68, 740, 4],
    [28, 303, 740, 2],
    [28, 552, 740, 2],
    [28, 627, 740, 2],
    [163, 554, 2, 73],
    [324, 554, 2, 73],
    [468, 554, 2, 73],
  ],
};

/** @throws when the label cannot be drawn, such as a tracking address too long for its QR. */
export function labelDrawing({ kind, number, packages, trackingUrl }: LabelPayload): Drawing {
  const places = PLACES[kind];
  const common = { rules: RULES[kind], qr: qr(trackingUrl, places.qr) };
  if (kind === 'letter') return { ...common, barcodes: [barcode(number, 4, places.barcode)] };
  // Bars of 3 dots: with those of 4, zbar reads 7 of 10 codes that have 2 % of noise, with these all.
  const barcodes = Array.from({ length: packages }, (_, i) =>
    barcode(`${number}-${packageSuffix(i + 1)}`, 3, places.barcode),
  );
  return { ...common, barcodes };
}
