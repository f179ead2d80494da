import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type MessagePort, parentPort } from 'node:worker_threads';
import decodeJpeg, { init as initJpeg } from '@jsquash/jpeg/decode.js';
import encodeJpeg, { init as initEncoder } from '@jsquash/jpeg/encode.js';
import decodePng, { init as initPng } from '@jsquash/png/decode.js';
import decodeWebp, { init as initWebp } from '@jsquash/webp/decode.js';
import { KEPT_SIDE, MAX_KEPT_BYTES, MAX_PRINT_BYTES, PRINT_SIDE } from '#shared/evidence/evidence.ts';
import type { PictureHead, PictureType } from './picture-head.ts';
import { type Pixels, shrink } from './shrink.ts';

/**
 * Decodes pictures and makes JPEGs of their pixels, one after the other. So nothing else of a file is kept: no metadata, no
 * position, and nothing that hides in it. An error ends the thread, because a decoder's memory may be corrupt.
 */

export type PictureTask = { bytes: Uint8Array<ArrayBuffer>; head: PictureHead };
/** `print`: the small copy for the proof of delivery. */
export type DecodedPicture = { jpeg: Uint8Array; print: Uint8Array; width: number; height: number };

/** A picture that is larger than it may be is encoded again, down to the last of these. */
const QUALITIES = [80, 60, 40, 20, 5];

const require = createRequire(import.meta.url);
const wasm = (path: string) => readFileSync(require.resolve(`@jsquash/${path}`));
// The packages would fetch their modules. Their types lack `wasmBinary`, an option of Emscripten.
const given = (path: string): object => ({ wasmBinary: wasm(path) });
await initJpeg(given('jpeg/codec/dec/mozjpeg_dec.wasm'));
await initEncoder(given('jpeg/codec/enc/mozjpeg_enc.wasm'));
await initPng(wasm('png/codec/pkg/squoosh_png_bg.wasm'));
await initWebp(given('webp/codec/dec/webp_dec.wasm'));

const DECODERS: Readonly<Record<PictureType, (file: ArrayBuffer) => Promise<Pixels>>> = {
  jpeg: decodeJpeg,
  png: decodePng,
  webp: decodeWebp,
};

const port = parentPort as MessagePort;
port.on('message', async ({ bytes, head }: PictureTask) => {
  const pixels = await DECODERS[head.type](bytes.buffer);
  if (pixels.width !== head.width || pixels.height !== head.height) {
    throw new Error(
      `The picture declares ${head.width} x ${head.height} and has ${pixels.width} x ${pixels.height}`,
    );
  }
  const kept = shrink(pixels, head.orientation, KEPT_SIDE);
  const [jpeg, print] = [
    await encode(kept, MAX_KEPT_BYTES),
    await encode(shrink(kept, 1, PRINT_SIDE), MAX_PRINT_BYTES),
  ];
  const decoded: DecodedPicture = { jpeg, print, width: kept.width, height: kept.height };
  port.postMessage(decoded, [jpeg.buffer, print.buffer]);
});

async function encode(pixels: Pixels, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  for (const quality of QUALITIES) {
    // Baseline: printers and old programs read it.
    const jpeg = await encodeJpeg(pixels as never, { quality, progressive: false });
    if (jpeg.byteLength <= maxBytes) return new Uint8Array(jpeg);
  }
  throw new Error(`A picture of ${pixels.width} x ${pixels.height} does not fit in ${maxBytes} bytes`);
}
