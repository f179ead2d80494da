import { crc32, deflateSync } from 'node:zlib';
import { type Bitmap, COMPRESSION } from './bitmap.ts';

const SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
/** One bit a dot, with a palette: then 1 may be black, as in `Bitmap`. */
const [BIT_DEPTH, PALETTE_COLOUR] = [1, 3];
const WHITE_AND_BLACK = Buffer.from([255, 255, 255, 0, 0, 0]);
const METRE = 1;

/** Writes a PNG (ISO/IEC 15948) that prints at its size. @param dotsPerMm of the print head. */
export function toPng({ width, height, rowBytes, bits }: Bitmap, dotsPerMm: number): Buffer {
  const dotsPerMetre = Math.round(1_000 * dotsPerMm);
  const rows = Buffer.alloc((1 + rowBytes) * height); // Each row begins with 0: no filter.
  for (let y = 0; y < height; y++)
    rows.set(bits.subarray(y * rowBytes, (y + 1) * rowBytes), y * (1 + rowBytes) + 1);
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', Buffer.concat([uint32(width, height), Buffer.from([BIT_DEPTH, PALETTE_COLOUR, 0, 0, 0])])),
    chunk('pHYs', Buffer.concat([uint32(dotsPerMetre, dotsPerMetre), Buffer.from([METRE])])),
    chunk('PLTE', WHITE_AND_BLACK),
    chunk('IDAT', deflateSync(rows, COMPRESSION)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  return Buffer.concat([uint32(data.length), typed, uint32(crc32(typed))]);
}

function uint32(...numbers: number[]): Buffer {
  const bytes = Buffer.alloc(4 * numbers.length);
  for (const [i, number] of numbers.entries()) bytes.writeUInt32BE(number, 4 * i);
  return bytes;
}
