import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import encodeJpeg, { init } from '@jsquash/jpeg/encode.js';
import { PNG } from 'pngjs';

/** Pictures as phones and attackers send them. */

const require = createRequire(import.meta.url);
await init({
  wasmBinary: readFileSync(require.resolve('@jsquash/jpeg/codec/enc/mozjpeg_enc.wasm')),
} as object);

type Color = readonly [red: number, green: number, blue: number, opaque?: number];
type Paint = (x: number, y: number) => Color;

const GRAY: Paint = (x, y) => [x % 256, y % 256, 128];

function pixels(width: number, height: number, paint: Paint): Uint8ClampedArray<ArrayBuffer> {
  const data = new Uint8ClampedArray(width * height * 4);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const [red, green, blue, opaque = 255] = paint(x, y);
      data.set([red, green, blue, opaque], (y * width + x) * 4);
    }
  }
  return data;
}

export function png(width = 60, height = 40, paint = GRAY): Buffer {
  const picture = new PNG({ width, height });
  picture.data = Buffer.from(pixels(width, height, paint));
  return PNG.sync.write(picture);
}

export async function jpeg(width = 60, height = 40, paint = GRAY): Promise<Buffer> {
  const data = pixels(width, height, paint);
  return Buffer.from(await encodeJpeg({ data, width, height } as never, { quality: 90, progressive: false }));
}

/** A WebP of 8 × 8 pixels, all of one colour. */
export const WEBP = Buffer.from(
  'UklGRkgAAABXRUJQVlA4WAoAAAAQAAAABwAABwAAQUxQSAoAAAABB1DAiAhERP8DVlA4IBgAAABQAQCdASoIAAgAAsBMJaQABHQAAORAAAA=',
  'base64',
);

/** Adds EXIF with an orientation, and a text that stands for a position, to a JPEG. */
export function withExif(file: Buffer, orientation: number, text = 'GPS 25.6866 -100.3161'): Buffer {
  const tiff = Buffer.alloc(26 + text.length);
  tiff.write('II*\0', 'latin1');
  tiff.writeUInt32LE(8, 4);
  tiff.writeUInt16LE(1, 8); // one entry
  tiff.writeUInt16LE(0x0112, 10);
  tiff.writeUInt16LE(3, 12);
  tiff.writeUInt32LE(1, 14);
  tiff.writeUInt16LE(orientation, 18);
  tiff.write(text, 26, 'latin1');
  const segment = Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), tiff]);
  const head = Buffer.from([0xff, 0xe1, 0, 0]);
  head.writeUInt16BE(segment.length + 2, 2);
  return Buffer.concat([file.subarray(0, 2), head, segment, file.subarray(2)]);
}

/** A PNG that declares a size, and has the pixels of another one. */
export function declaring(width: number, height: number): Buffer {
  const file = png();
  file.writeUInt32BE(width, 16);
  file.writeUInt32BE(height, 20);
  file.writeUInt32BE(checksum(file.subarray(12, 29)), 29);
  return file;
}

function checksum(bytes: Buffer): number {
  let sum = 0xffffffff;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit++) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0);
  }
  return (sum ^ 0xffffffff) >>> 0;
}
