import type { GreyPage } from '#shared/pdf/pdfium.ts';

/** One bit a dot, 1 for black, row by row; each row in whole bytes with the first dot in the highest bit. */
export type Bitmap = { width: number; height: number; rowBytes: number; bits: Uint8Array };

/** Level 6, the default, takes twice the time for 7 % fewer bytes. */
export const COMPRESSION = { level: 4 };

/**
 * Thresholds of ordered dithering (B. Bayer, 1973) for four by four dots: grey becomes a pattern. Black and white,
 * and so codes, rules and letters, stay as they are.
 */
const THRESHOLDS = [
  [8, 136, 40, 168],
  [200, 72, 232, 104],
  [56, 184, 24, 152],
  [248, 120, 216, 88],
] as const;
/** Four dots of one colour as a signed word, because V8 compares unsigned words as floating point. */
const [WHITE, BLACK] = [-1, 0];

/** Packs grey dots eight to a byte. */
export function toBitmap({ width, height, rowBytes: greyBytes, grey }: GreyPage): Bitmap {
  const rowBytes = greyBytes / 8;
  const bits = new Uint8Array(rowBytes * height);
  const words = new Int32Array(grey.buffer, grey.byteOffset, 2 * bits.length);
  for (let y = 0; y < height; y++) {
    const thresholds = THRESHOLDS[(y % 4) as 0 | 1 | 2 | 3];
    for (let byte = y * rowBytes; byte < (y + 1) * rowBytes; byte++) {
      const left = words[2 * byte] ?? WHITE;
      const right = words[2 * byte + 1] ?? WHITE;
      if ((left & right) !== WHITE) bits[byte] = (pack(left, thresholds) << 4) | pack(right, thresholds);
    }
  }
  return { width, height, rowBytes, bits };
}

/** Returns four dots as bits, the first in the highest. @param word little-endian. */
function pack(word: number, [t0, t1, t2, t3]: (typeof THRESHOLDS)[number]): number {
  if (word === WHITE) return 0;
  if (word === BLACK) return 0b1111;
  return (
    ((word & 0xff) < t0 ? 0b1000 : 0) |
    (((word >> 8) & 0xff) < t1 ? 0b0100 : 0) |
    (((word >> 16) & 0xff) < t2 ? 0b0010 : 0) |
    (((word >> 24) & 0xff) < t3 ? 0b0001 : 0)
  );
}
