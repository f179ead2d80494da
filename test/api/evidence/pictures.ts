import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import decodeJpeg, { init as initDecoder } from '@jsquash/jpeg/decode.js';
import encodeJpeg, { init as initEncoder } from '@jsquash/jpeg/encode.js';
import encodeWebp, { init as initWebp } from '@jsquash/webp/encode.js';
import { PNG } from 'pngjs';

/** Pictures as phones and attackers send them. */

const require = createRequire(import.meta.url);
const given = (path: string): object => ({ wasmBinary: readFileSync(require.resolve(`@jsquash/${path}`)) });
await initDecoder(given('jpeg/codec/dec/mozjpeg_dec.wasm'));
await initEncoder(given('jpeg/codec/enc/mozjpeg_enc.wasm'));
await initWebp(given('webp/codec/enc/webp_enc_simd.wasm'));

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

/** A WebP with the extended header that EXIF needs. */
export async function webp(width: number, height: number, paint = GRAY): Promise<Buffer> {
  const data = pixels(width, height, paint);
  const file = Buffer.from(await encodeWebp({ data, width, height } as never));
  const head = Buffer.alloc(30);
  file.copy(head, 0, 0, 12);
  head.write('VP8X', 12, 'latin1');
  head.writeUInt32LE(10, 16);
  head.writeUIntLE(width - 1, 24, 3);
  head.writeUIntLE(height - 1, 27, 3);
  head.writeUInt32LE(file.length + 18 - 8, 4);
  return Buffer.concat([head, file.subarray(12)]);
}

/** Returns the red, green and blue of a pixel of a JPEG. */
export async function pixelOf(file: Uint8Array, x: number, y: number): Promise<number[]> {
  const { data, width } = await decodeJpeg(new Uint8Array(file).buffer);
  const at = (y * width + x) * 4;
  return [...data.subarray(at, at + 3)];
}

/** A WebP of 8 × 8 pixels, all of one colour. */
export const WEBP = Buffer.from(
  'UklGRkgAAABXRUJQVlA4WAoAAAAQAAAABwAABwAAQUxQSAoAAAABB1DAiAhERP8DVlA4IBgAAABQAQCdASoIAAgAAsBMJaQABHQAAORAAAA=',
  'base64',
);

const GPS = 'GPS 25.6866 -100.3161';

/** EXIF with an orientation, and a text that stands for a position. */
export function exif(orientation: number, text = GPS): Buffer {
  const tiff = Buffer.alloc(26 + text.length);
  tiff.write('II*\0', 'latin1');
  tiff.writeUInt32LE(8, 4);
  tiff.writeUInt16LE(1, 8); // one entry
  tiff.writeUInt16LE(0x0112, 10);
  tiff.writeUInt16LE(3, 12);
  tiff.writeUInt32LE(1, 14);
  tiff.writeUInt16LE(orientation, 18);
  tiff.write(text, 26, 'latin1');
  return tiff;
}

/** Adds EXIF to a JPEG: an orientation, or any bytes. */
export function withExif(file: Buffer, orientation: number | Buffer, text = GPS): Buffer {
  const tiff = typeof orientation === 'number' ? exif(orientation, text) : orientation;
  const segment = Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), tiff]);
  const head = Buffer.from([0xff, 0xe1, 0, 0]);
  head.writeUInt16BE(segment.length + 2, 2);
  return Buffer.concat([file.subarray(0, 2), head, segment, file.subarray(2)]);
}

/** The same of a PNG. */
export function pngWithExif(file: Buffer, tiff: Buffer): Buffer {
  return Buffer.concat([file.subarray(0, 33), pngChunk('eXIf', tiff), file.subarray(33)]);
}

/** The same of a WebP file with an extended header. */
export function webpWithExif(file: Buffer, tiff: Buffer): Buffer {
  const chunk = Buffer.alloc(8 + tiff.length + (tiff.length % 2));
  chunk.write('EXIF', 'latin1');
  chunk.writeUInt32LE(tiff.length, 4);
  tiff.copy(chunk, 8);
  const joined = Buffer.concat([file, chunk]);
  joined.writeUInt32LE(joined.length - 8, 4);
  joined.writeUInt8(joined.readUInt8(20) | 0x08, 20); // its header says that it has EXIF
  return joined;
}

export function pngChunk(name: string, data: Buffer): Buffer {
  const chunk = Buffer.alloc(12 + data.length);
  chunk.writeUInt32BE(data.length);
  chunk.write(name, 4, 'latin1');
  data.copy(chunk, 8);
  chunk.writeUInt32BE(checksum(chunk.subarray(4, -4)), 8 + data.length);
  return chunk;
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
